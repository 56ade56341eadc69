import type { ChildExit, ChildRunner } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import { absolutePath } from '../absolute-path.ts';
import { isObject } from '../qmp/qmp-message.ts';
import { type CreateImage, createArguments, headerName } from './create-arguments.ts';
import {
  type AllocatedArea,
  areasOf,
  type CheckedImage,
  checkedImage,
  type ImageInfo,
  imageInfo,
} from './image-answers.ts';

export interface QemuImgOptions {
  signal?: AbortSignal | undefined;
}

export interface InUse extends QemuImgOptions {
  /** Reads a file that a daemon has open. The result may be outdated. */
  inUse?: boolean;
}

/**
 * qemu-img for qcow2 files, by absolute path. An abort ends the program and rejects with the signal's reason.
 * @throws QEMU_IMG_FAILED with what it said, PATH_NOT_ABSOLUTE, SIZE_TOO_LARGE, PROGRAM_NOT_STARTED
 */
export interface QemuImg {
  /** Refuses a file that is there. What a failure leaves behind is the caller's to remove. */
  create(image: CreateImage, o?: QemuImgOptions): Promise<void>;
  /** Writes another name of the layer below into the header, and nothing else; undefined for none. The file is not in use. */
  relink(path: string, backingFile: string | undefined, o?: QemuImgOptions): Promise<void>;
  /** Writes what `top` itself holds, and what is between, into `base` of its chain. Neither is in use. An abort leaves `top` whole. */
  commit(layers: { top: string; base: string }, o?: QemuImgOptions): Promise<void>;
  info(path: string, o?: InUse): Promise<ImageInfo>;
  /** Reads the file's tables; changes nothing. A file that is broken is an answer; one that cannot be read is an error. */
  check(path: string, o?: InUse): Promise<CheckedImage>;
  /** Whether both read alike, through what is below them. Where one is longer, its rest counts as alike when it is zeros. */
  compare(a: string, b: string, o?: InUse): Promise<{ equal: boolean; said: string }>;
  /** The areas of a file and of what is below it, in order; adjoining ones of one kind are one. */
  map(path: string, o?: InUse): Promise<AllocatedArea[]>;
}

/** `runner` runs the program qemu-img. */
export function qemuImg(runner: ChildRunner, env: Readonly<Record<string, string>> = {}): QemuImg {
  const run = async (args: readonly string[], o: QemuImgOptions = {}, accepted: readonly number[] = [0]) => {
    const exit = await runner.run({ args, env: { LC_ALL: 'C', ...env }, signal: o.signal });
    o.signal?.throwIfAborted();
    if (exit.exitCode === undefined || !accepted.includes(exit.exitCode)) throw failed(args, exit);
    return exit;
  };
  const asked = async (args: readonly string[], o: InUse, accepted?: readonly number[]): Promise<unknown> => {
    const exit = await run(args, o, accepted);
    return parsed(args, exit);
  };
  const share = ({ inUse }: InUse): string[] => (inUse === true ? ['--force-share'] : []);
  const json = '--output=json';
  return {
    create: async (image, o) => void (await run(createArguments(image), o)),
    relink: async (path, backingFile, o) => {
      const backing = backingFile === undefined ? ['-b', ''] : ['-b', headerName(backingFile), '-F', 'qcow2'];
      await run(['rebase', '-q', '-u', ...backing, ...qcow2(path)], o);
    },
    commit: async ({ top, base }, o) => void (await run(['commit', '-q', '-b', absolutePath(base), ...qcow2(top)], o)),
    info: async (path, o = {}) => imageInfo(await asked(['info', json, ...share(o), ...qcow2(path)], o)),
    check: async (path, o = {}) =>
      checkedImage(await asked(['check', json, ...share(o), ...qcow2(path)], o, checkAnswers)),
    compare: async (a, b, o = {}) => {
      const args = ['compare', ...share(o), '-f', 'qcow2', '-F', 'qcow2', absolutePath(a), absolutePath(b)];
      const { exitCode, stdout } = await run(args, o, [0, 1]);
      return { equal: exitCode === 0, said: stdout.trim() };
    },
    map: async (path, o = {}) => areasOf(await asked(['map', json, ...share(o), ...qcow2(path)], o)),
  };
}

/** Sound, corrupt, and with leaked room; other exit codes mean that it could not look. */
const checkAnswers = [0, 2, 3];

/** Never by looking at the file: a guest may have written another format's header into a raw one. */
const qcow2 = (path: string): string[] => ['-f', 'qcow2', absolutePath(path)];

function parsed(args: readonly string[], exit: ChildExit): unknown {
  try {
    const value: unknown = JSON.parse(exit.stdout);
    if (isObject(value) || Array.isArray(value)) return value;
  } catch (cause) {
    throw failed(args, exit, cause);
  }
  throw failed(args, exit);
}

const saidBytesMax = 2_000;

function failed(args: readonly string[], exit: ChildExit, cause?: unknown): AppError {
  const { exitCode, endedBy, stderr } = exit;
  const how = endedBy === undefined ? `with exit code ${exitCode ?? 'unknown'}` : `by ${endedBy}`;
  const said = stderr.trim().slice(-saidBytesMax);
  const path = args.find((argument) => argument.startsWith('/'));
  return new AppError('QEMU_IMG_FAILED', `qemu-img ${args[0]} of ${path} ended ${how}${said && `: ${said}`}`, {
    cause,
    details: { command: args[0], exitCode, endedBy },
  });
}
