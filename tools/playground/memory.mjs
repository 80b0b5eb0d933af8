// Files in memory, and streams that collect what is written.
import { Errno, Kind, instantiate, run } from "./wasi.mjs";

/// A disk of `files`: {"name": Uint8Array}, all in the folder `/`. What a command writes comes into the map `written`, by its
/// path, and is not read again.
export function memoryDisk(files, written = new Map()) {
  const ids = Object.keys(files);
  const folders = new Set(["/"]);
  const find = (path) => {
    const name = path.slice(1);
    if (folders.has(path)) return { kind: Kind.folder, id: 1 };
    if (Object.hasOwn(files, name)) return { kind: Kind.file, size: files[name].length, id: ids.indexOf(name) + 2 };
    return written.has(name) ? { kind: Kind.file } : Errno.noent;
  };
  const remove = (path) => (written.delete(path.slice(1)) ? 0 : Errno.perm);
  return {
    stat: find,
    makeFolder: (path) => folders.add(path) && 0,
    remove,
    rename(from, to) {
      const stream = written.get(from.slice(1));
      if (stream) written.set(to.slice(1), stream);
      return remove(from);
    },
    open(path, how) {
      const name = path.slice(1);
      const found = find(path);
      if (how.create) return found.kind === Kind.folder ? Errno.isdir : written.set(name, output()).get(name);
      if (found.kind === Kind.folder) return { ...found, names: ids.map((name) => ({ name, kind: Kind.file })) };
      if (!Object.hasOwn(files, name)) return Errno.noent;
      return how.folder ? Errno.notdir : { ...input(files[name]), id: found.id };
    },
  };
}

/// Bytes to be read.
export function input(data) {
  return {
    kind: Kind.file,
    size: () => data.length,
    read(piece, at) {
      const part = data.subarray(at, at + piece.length);
      piece.set(part);
      return part.length;
    },
  };
}

/// Collects what is written; `take` gives it and begins anew.
export function output() {
  let pieces = [];
  return {
    kind: Kind.file,
    size: () => 0,
    write(piece) {
      pieces.push(piece.slice());
      return piece.length;
    },
    take() {
      const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
      let at = 0;
      for (const piece of pieces) {
        all.set(piece, at);
        at += piece.length;
      }
      pieces = [];
      return all;
    },
  };
}

/// One command in an instance of its own, over files in memory: {status, stdout, stderr, written, memory}, all
/// outputs as bytes.
export function command(module, args, { files = {}, stdin = new Uint8Array(), env } = {}) {
  const out = output(),
    errors = output(),
    written = new Map();
  const exports = instantiate(module, {
    args,
    env,
    disk: memoryDisk(files, written),
    streams: [input(stdin), out, errors],
  });
  const status = run(exports);
  return {
    status,
    stdout: out.take(),
    stderr: errors.take(),
    written: Object.fromEntries([...written].map(([name, stream]) => [name, stream.take()])),
    memory: exports.memory.buffer.byteLength,
  };
}
