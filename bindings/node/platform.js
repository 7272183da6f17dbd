// The name of the native module of this platform.

const isMusl = process.platform === "linux" && !process.report?.getReport().header.glibcVersionRuntime;

export const platform =
  {
    linux: `linux-${process.arch}-${isMusl ? "musl" : "gnu"}`,
    win32: `win32-${process.arch}-msvc`,
  }[process.platform] ?? `${process.platform}-${process.arch}`;

if (process.argv[1] === import.meta.filename) console.log(platform);
