import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describeError } from '@lateen/errors';
import { wrongFormat } from './program-format.ts';

/** A plugin program. */
export interface ProgramFile {
  path: string;
  /** Of the file, for messages. */
  name: string;
}

/** An unusable program, with the reason as text; the others are used. */
export interface PluginProblem {
  /** Path of the program. */
  program: string;
  message: string;
}

export interface FoundPrograms {
  programs: readonly ProgramFile[];
  problems: readonly PluginProblem[];
}

/** Init containers put a few files there; a wrong folder must not lead to a scan of a whole disk. */
const filesMax = 1_000;
const executableBits = 0o111;
/** Enough for the header of an ELF file. */
const headBytes = 64;

/** The executables in a folder and in those below it, by path. A missing folder counts as empty. Files that cannot be executed here are problems. */
export async function findPrograms(directory: string): Promise<FoundPrograms> {
  const programs: ProgramFile[] = [];
  const problems: PluginProblem[] = [];
  for (const path of await filesBelow(directory, problems)) {
    const wrong = await wrongInFile(path).catch((error: unknown) => describeError(error));
    if (wrong === undefined) programs.push({ path, name: basename(path) });
    else problems.push({ program: path, message: wrong });
  }
  return { programs, problems };
}

async function filesBelow(directory: string, problems: PluginProblem[]): Promise<string[]> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
    if (files.length > filesMax) {
      problems.push({
        program: directory,
        message: `it has ${files.length} files; only the first ${filesMax} are looked at`,
      });
    }
    return files.sort().slice(0, filesMax);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    problems.push({ program: directory, message: `it cannot be read: ${describeError(error)}` });
    return [];
  }
}

/** Undefined when the program can be started, as far as its file shows. */
async function wrongInFile(path: string): Promise<string | undefined> {
  const facts = await stat(path);
  if (!facts.isFile()) return 'it is not a file';
  if ((facts.mode & executableBits) === 0) {
    return 'it is not executable (no x in its mode); the image that puts it there has to set it: chmod 755';
  }
  await using file: FileHandle = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return wrongFormat(buffer.subarray(0, bytesRead), process.arch);
}
