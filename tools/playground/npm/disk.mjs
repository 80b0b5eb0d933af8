// The files of the system for wasi.mjs, by node.
import fs from "node:fs";
import tty from "node:tty";
import { Errno, Kind } from "../wasi.mjs";

const numbers = {
  EEXIST: Errno.exist,
  EISDIR: Errno.isdir,
  EINVAL: Errno.inval,
  ENOENT: Errno.noent,
  ENOTDIR: Errno.notdir,
  EACCES: 2,
  EPERM: Errno.perm,
  ENOTEMPTY: 55,
  ELOOP: 32,
  EROFS: 69,
  EXDEV: 75,
};

/// What a call gives, or the number of its error.
function attempt(call) {
  try {
    return call() ?? 0;
  } catch (error) {
    return numbers[error.code] ?? Errno.io;
  }
}

function describe(stats) {
  const kind = stats.isDirectory()
    ? Kind.folder
    : stats.isFile()
      ? Kind.file
      : stats.isSymbolicLink()
        ? Kind.link
        : Kind.terminal;
  return { kind, size: stats.size, id: stats.ino, changed: stats.mtimeMs };
}

function flagsOf(how) {
  const { O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_RDWR, O_RDONLY } = fs.constants;
  return (
    (how.write ? O_RDWR : O_RDONLY) |
    (how.create ? O_CREAT : 0) |
    (how.exclusive ? O_EXCL : 0) |
    (how.truncate ? O_TRUNC : 0) |
    (how.append ? O_APPEND : 0)
  );
}

function folder(path, stats) {
  const kindOf = (entry) =>
    entry.isDirectory() ? Kind.folder : entry.isFile() ? Kind.file : entry.isSymbolicLink() ? Kind.link : 0;
  const names = fs
    .readdirSync(path, { withFileTypes: true })
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  return { ...describe(stats), names };
}

/// An open file, or a pipe or terminal, which has no places.
export function stream(fd) {
  const stats = fs.fstatSync(fd),
    isFile = stats.isFile();
  const again = (call) => {
    for (;;)
      try {
        return call();
      } catch (error) {
        if (error.code === "EOF") return 0;
        if (error.code !== "EAGAIN") throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      }
  };
  return {
    ...describe(stats),
    kind: isFile ? Kind.file : tty.isatty(fd) ? Kind.terminal : Kind.pipe,
    size: () => fs.fstatSync(fd).size,
    resize: (size) => attempt(() => fs.ftruncateSync(fd, size)),
    read: (piece, at) => again(() => fs.readSync(fd, piece, 0, piece.length, isFile ? at : null)),
    write(piece, at) {
      for (let done = 0; done < piece.length;)
        done += again(() => fs.writeSync(fd, piece, done, piece.length - done, isFile && fd > 2 ? at + done : null));
      return piece.length;
    },
    close: () => fs.closeSync(fd),
  };
}

export const disk = {
  stat: (path, follows) => attempt(() => describe(follows ? fs.statSync(path) : fs.lstatSync(path))),
  open: (path, how) =>
    attempt(() => {
      const stats = fs.statSync(path, { throwIfNoEntry: false });
      if (stats?.isDirectory()) return how.create ? Errno.isdir : folder(path, stats);
      if (how.folder) return stats ? Errno.notdir : Errno.noent;
      return stream(fs.openSync(path, flagsOf(how), 0o666));
    }),
  readLink: (path) => attempt(() => fs.readlinkSync(path)),
  makeFolder: (path) => attempt(() => fs.mkdirSync(path) && 0),
  remove: (path) => attempt(() => fs.unlinkSync(path)),
  removeFolder: (path) => attempt(() => fs.rmdirSync(path)),
  rename: (from, to) => attempt(() => fs.renameSync(from, to)),
};
