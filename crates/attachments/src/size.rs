/// A number of bytes, for people and models: `12 bytes`, `1.5 KB`, `3.0 MB`.
pub(crate) fn size(bytes: u64) -> String {
    const KB: u64 = 1024;
    const MB: u64 = 1024 * KB;
    if bytes < KB {
        return format!("{bytes} bytes");
    }
    let (unit, name) = if bytes < MB { (KB, "KB") } else { (MB, "MB") };
    let (whole, rest) = (bytes / unit, bytes % unit);
    format!("{whole}.{} {name}", rest * 10 / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_down() {
        assert_eq!(size(0), "0 bytes");
        assert_eq!(size(1023), "1023 bytes");
        assert_eq!(size(1536), "1.5 KB");
        assert_eq!(size(1024 * 1024 - 1), "1023.9 KB");
        assert_eq!(size(u64::MAX), "17592186044415.9 MB");
    }
}
