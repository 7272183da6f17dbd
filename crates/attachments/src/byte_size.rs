/// Formats a size for the model: `12 bytes`, `1.5 KB`, `3.0 MB`. One KB is
/// 1,024 bytes; the tenth is rounded down.
pub(crate) fn byte_size(bytes: u64) -> String {
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
        assert_eq!(byte_size(0), "0 bytes");
        assert_eq!(byte_size(1023), "1023 bytes");
        assert_eq!(byte_size(1536), "1.5 KB");
        assert_eq!(byte_size(1024 * 1024 - 1), "1023.9 KB");
        assert_eq!(byte_size(u64::MAX), "17592186044415.9 MB");
    }
}
