// The part of WASI preview 1 that ptxray uses. It has no dependency and runs in pages, workers and node. Files come from a
// `disk` (memory.mjs, npm/disk.mjs): its functions give what is asked for, or the number of an error.
export const Errno = {
  badf: 8,
  exist: 20,
  inval: 28,
  io: 29,
  isdir: 31,
  noent: 44,
  notdir: 54,
  notsup: 58,
  perm: 63,
  spipe: 70,
};
export const Kind = { terminal: 2, folder: 3, file: 4, pipe: 6, link: 7 };
const seekAndTell = (1n << 2n) | (1n << 5n);

/// What proc_exit throws.
export class Exit {
  constructor(status) {
    this.status = status;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/// The memory of an instance, which may move whenever the instance runs.
class Memory {
  get view() {
    return new DataView(this.memory.buffer);
  }
  bytes(at, size) {
    return new Uint8Array(this.memory.buffer, at, size);
  }
  number(at, value) {
    this.view.setUint32(at, value, true);
    return 0;
  }
  text(at, size) {
    return decoder.decode(this.bytes(at, size));
  }
  /// The pieces of an iovec.
  *pieces(at, count) {
    for (; count--; at += 8) yield this.bytes(this.view.getUint32(at, true), this.view.getUint32(at + 4, true));
  }
  stat(at, { kind, size = 0, id = 0, changed = 0 }) {
    const view = this.view;
    for (let i = 0; i < 64; i += 8) view.setBigUint64(at + i, 0n, true);
    view.setBigUint64(at + 8, BigInt(id), true);
    view.setUint8(at + 16, kind);
    view.setBigUint64(at + 24, 1n, true);
    view.setBigUint64(at + 32, BigInt(size), true);
    view.setBigUint64(at + 48, BigInt(Math.round(changed * 1e6)), true);
    return 0;
  }
}

/// args_get or environ_get, and what goes before.
function words(memory, list) {
  const all = list.map((word) => encoder.encode(word + "\0"));
  const sizes = (count, size) => {
    memory.number(count, all.length);
    return memory.number(
      size,
      all.reduce((sum, word) => sum + word.length, 0),
    );
  };
  const get = (pointers, room) => {
    for (const word of all) {
      memory.number(pointers, room);
      memory.bytes(room, word.length).set(word);
      pointers += 4;
      room += word.length;
    }
    return 0;
  };
  return [sizes, get];
}

/// What is done with a descriptor that is open.
function descriptors(memory, open) {
  const read = (file, at, pieces, count, result) => {
    if (!file?.read) return Errno.badf;
    let total = 0;
    for (const piece of memory.pieces(pieces, count)) {
      const size = file.read(piece, at + total);
      total += size;
      if (size < piece.length) break;
    }
    return memory.number(result, total);
  };
  const write = (file, at, pieces, count, result) => {
    if (!file?.write) return Errno.badf;
    let total = 0;
    for (const piece of memory.pieces(pieces, count)) total += file.write(piece, at + total);
    return memory.number(result, total);
  };
  /// Continues where the last one ended.
  const onward = (transfer) => (fd, pieces, count, result) => {
    const file = open.get(fd),
      status = transfer(file, file?.at, pieces, count, result);
    if (status === 0) file.at += memory.view.getUint32(result, true);
    return status;
  };
  return {
    fd_fdstat_get(fd, at) {
      const file = open.get(fd);
      if (!file) return Errno.badf;
      const rights = file.kind === Kind.terminal ? ~seekAndTell : ~0n;
      memory.view.setBigUint64(at, 0n, true);
      memory.view.setUint8(at, file.kind);
      memory.view.setBigUint64(at + 8, BigInt.asUintN(64, rights), true);
      memory.view.setBigUint64(at + 16, ~0n & 0xffffffffffffffffn, true);
      return 0;
    },
    fd_fdstat_set_flags: () => 0,
    fd_filestat_get(fd, at) {
      const file = open.get(fd);
      return file ? memory.stat(at, { kind: file.kind, size: file.size?.(), id: file.id }) : Errno.badf;
    },
    fd_filestat_set_size(fd, size) {
      const file = open.get(fd);
      return file?.resize ? file.resize(Number(size)) : Errno.badf;
    },
    fd_read: onward(read),
    fd_pread: (fd, pieces, count, at, result) => read(open.get(fd), Number(at), pieces, count, result),
    fd_write: onward(write),
    fd_pwrite: (fd, pieces, count, at, result) => write(open.get(fd), Number(at), pieces, count, result),
    fd_seek(fd, offset, whence, result) {
      const file = open.get(fd);
      if (file?.kind !== Kind.file) return Errno.spipe;
      file.at = Number(offset) + [0, file.at, file.size()][whence];
      memory.view.setBigUint64(result, BigInt(file.at), true);
      return 0;
    },
    fd_tell: (fd, result) => {
      memory.view.setBigUint64(result, BigInt(open.get(fd)?.at ?? 0), true);
      return 0;
    },
    fd_readdir(fd, at, size, cookie, result) {
      const names = open.get(fd)?.names;
      if (!names) return Errno.notdir;
      let used = 0;
      for (let i = Number(cookie); i < names.length && used < size; ++i) {
        const text = encoder.encode(names[i].name),
          entry = new Uint8Array(24 + text.length),
          view = new DataView(entry.buffer);
        view.setBigUint64(0, BigInt(i + 1), true);
        view.setUint32(16, text.length, true);
        view.setUint8(20, names[i].kind);
        entry.set(text, 24);
        const part = entry.subarray(0, size - used);
        memory.bytes(at + used, part.length).set(part);
        used += part.length;
      }
      return memory.number(result, used);
    },
    fd_sync: () => 0,
    fd_close(fd) {
      open.get(fd)?.close?.();
      return open.delete(fd) ? 0 : Errno.badf;
    },
  };
}

/// What is done with paths. The one folder that is open from the start is `/`.
function paths(memory, open, disk) {
  let next = 4;
  const named = (fd, at, size) =>
    `${open.get(fd)?.path ?? ""}/${memory.text(at, size)}`.replace(/\/(\.?\/)*/g, "/").replace(/(.)\/\.?$|(\/)\.$/, "$1$2");
  return {
    fd_prestat_get(fd, at) {
      if (fd !== 3) return Errno.badf;
      memory.number(at, 0);
      return memory.number(at + 4, 1);
    },
    fd_prestat_dir_name(fd, at) {
      memory.bytes(at, 1).set(encoder.encode("/"));
      return 0;
    },
    path_filestat_get(fd, flags, at, size, result) {
      const found = disk.stat(named(fd, at, size), (flags & 1) !== 0);
      return typeof found === "number" ? found : memory.stat(result, found);
    },
    path_open(fd, lookup, at, size, flags, rights, inheriting, fdflags, result) {
      const path = named(fd, at, size);
      const how = {
        create: flags & 1,
        folder: flags & 2,
        exclusive: flags & 4,
        truncate: flags & 8,
        append: fdflags & 1,
        write: rights & 64n,
      };
      const found = disk.open(path, how);
      if (typeof found === "number") return found;
      open.set(next, Object.assign(found, { path, at: how.append ? found.size() : 0 }));
      return memory.number(result, next++);
    },
    path_readlink(fd, at, size, room, roomSize, result) {
      const target = disk.readLink?.(named(fd, at, size)) ?? Errno.inval;
      if (typeof target === "number") return target;
      const bytes = encoder.encode(target).subarray(0, roomSize);
      memory.bytes(room, bytes.length).set(bytes);
      return memory.number(result, bytes.length);
    },
    path_create_directory: (fd, at, size) => disk.makeFolder?.(named(fd, at, size)) ?? Errno.perm,
    path_unlink_file: (fd, at, size) => disk.remove?.(named(fd, at, size)) ?? Errno.perm,
    path_remove_directory: (fd, at, size) => disk.removeFolder?.(named(fd, at, size)) ?? Errno.perm,
    path_rename: (fd, at, size, toFd, to, toSize) =>
      disk.rename?.(named(fd, at, size), named(toFd, to, toSize)) ?? Errno.perm,
  };
}

/// An instance of ptxray: `streams` are its standard input, output and error output.
export function instantiate(module, { args = [], env = {}, disk, streams }) {
  const memory = new Memory();
  const open = new Map(streams.map((stream, fd) => [fd, Object.assign(stream, { at: 0 })]));
  open.set(3, { kind: Kind.folder, path: "" });
  const [argsSizes, argsGet] = words(memory, ["ptxray", ...args]);
  const [environSizes, environGet] = words(
    memory,
    Object.entries(env).map(([name, value]) => `${name}=${value}`),
  );
  const calls = {
    args_sizes_get: argsSizes,
    args_get: argsGet,
    environ_sizes_get: environSizes,
    environ_get: environGet,
    clock_time_get(id, precision, at) {
      memory.view.setBigUint64(at, BigInt(Math.round((id ? performance.now() : Date.now()) * 1e6)), true);
      return 0;
    },
    ...descriptors(memory, open),
    ...paths(memory, open, disk),
    proc_exit(status) {
      throw new Exit(status);
    },
  };
  const unsupported = () => Errno.notsup;
  const imports = Object.fromEntries(
    WebAssembly.Module.imports(module).map(({ name }) => [name, calls[name] ?? unsupported]),
  );
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
  memory.memory = instance.exports.memory;
  instance.exports._initialize();
  return instance.exports;
}

/// One command. Gives the exit status; throws what WebAssembly throws.
export function run(exports) {
  try {
    return exports.command();
  } catch (error) {
    if (error instanceof Exit) return error.status;
    throw error;
  }
}
