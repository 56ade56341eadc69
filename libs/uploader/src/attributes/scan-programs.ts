import { AppError } from '@lateen/errors';
import { type EngineExit, killedFailure } from '@lateen/repository';
import { unreadableNextStep } from '../unreadable-source.ts';
import { type AttributeRecord, manifestLineLengthMax } from './attribute-record.ts';
import { ByteSplitter } from './byte-splitter.ts';
import { ChunkedInput } from './chunked-input.ts';
import { type FoundEntry, foundFormat, foundLengthMax, parseFoundEntry } from './found-entry.ts';
import type { Program, Programs } from './programs.ts';

/** The inputs of a run of a program. */
export type Scanned = Pick<ScanOptions, 'programs' | 'volumePath' | 'signal'>;

export interface ScanOptions {
  programs: Programs;
  /** Absolute. */
  volumePath: string;
  /** Gets the records in the order in which a restore needs them; it is awaited, so that a slow receiver slows the scan down. */
  onRecord(record: AttributeRecord): Promise<void> | void;
  signal: AbortSignal;
}

/** sort's memory; the rest goes to disk. */
const sortMemory = '16M';

/** Complaints about files that disappear during the scan, and about file systems without attributes. */
const harmlessComplaint =
  /: (No such file or directory|Stale file handle|No data available|Operation not supported)\s*$/;

/** Complaints of a program that an error lists. */
const complaintsToldMax = 3;

/** Runs find below the volume's root. @throws as {@link scan} */
export function find(
  options: Scanned,
  tests: readonly string[],
  onEntry: (entry: FoundEntry, item: string) => Promise<void> | void,
): Promise<void> {
  return scan(options, {
    program: 'find',
    args: [rootOf(options), '-ignore_readdir_race', ...tests, '-printf', foundFormat],
    separator: '\0',
    onItem: (item) => onEntry(parseFoundEntry(item), item),
  });
}

export interface Scan {
  program: Program;
  args: readonly string[];
  separator: '\0' | '\n';
  stdin?: AsyncIterable<Uint8Array>;
  onItem(item: string): Promise<void> | void;
}

/**
 * Runs a program that prints items.
 * @throws UPLOADER_SOURCE_UNREADABLE, SCAN_BAD_ANSWER, ENGINE_KILLED; the error of `onItem`; the signal's reason on abort
 */
export async function scan({ programs, volumePath, signal }: Scanned, work: Scan): Promise<void> {
  const { program, args, separator, stdin, onItem } = work;
  const lengthMax = separator === '\0' ? foundLengthMax : manifestLineLengthMax;
  const splitter = new ByteSplitter(
    separator,
    lengthMax,
    () => new AppError('SCAN_BAD_ANSWER', `${program} printed more than ${lengthMax} bytes without an end`),
  );
  const exit = await programs.run(program, {
    args,
    ...(stdin === undefined ? {} : { stdin }),
    signal,
    onStdout: async (piece) => {
      for (const item of splitter.push(piece)) {
        const pending = onItem(item);
        if (pending !== undefined) await pending;
      }
    },
  });
  signal.throwIfAborted();
  const killed = killedFailure(exit, `reading the attributes of ${volumePath}: ${program}`);
  if (killed !== undefined) throw killed;
  if (exit.exitCode !== 0 && !isHarmless(exit)) throw unreadable(volumePath, program, exit);
  if (splitter.rest() !== '') throw new AppError('SCAN_BAD_ANSWER', `${program} stopped in the middle of an entry`);
}

const complaints = (exit: EngineExit): string[] => exit.stderr.split('\n').filter((line) => line.trim() !== '');

/** All complaints are harmless, and there is at least one: a program that fails without a message has not done its work. */
function isHarmless(exit: EngineExit): boolean {
  const said = complaints(exit);
  return said.length > 0 && said.every((line) => harmlessComplaint.test(line));
}

function unreadable(volumePath: string, program: Program, exit: EngineExit): AppError {
  const told = complaints(exit)
    .filter((line) => !harmlessComplaint.test(line))
    .slice(-complaintsToldMax)
    .join('; ');
  return new AppError(
    'UPLOADER_SOURCE_UNREADABLE',
    `reading the attributes of ${volumePath}: ${program} ended with exit code ${exit.exitCode}${told === '' ? '' : `: ${told}`}`,
    { retry: 'later', nextStep: unreadableNextStep(told) },
  );
}

export interface Sorting {
  input: ChunkedInput;
  /** Rejects as {@link scan}; the rejection does not count as unhandled when nobody awaits it. */
  done: Promise<void>;
}

/** Sorts items, each with a closing zero, by their bytes, in constant memory. */
export function sorted(options: Scanned, onItem: Scan['onItem']): Sorting {
  const input = new ChunkedInput();
  const done = scan(options, {
    program: 'sort',
    args: ['--zero-terminated', `--buffer-size=${sortMemory}`, '--parallel=1'],
    separator: '\0',
    stdin: input,
    onItem,
  });
  // Awaited after the last item; until then a rejection must not count as unhandled.
  done.catch(() => input.gone());
  return { input, done };
}

/** getfattr prints the path as it was given, so a single slash must stay a single slash. */
export const rootOf = ({ volumePath }: Pick<ScanOptions, 'volumePath'>): string =>
  volumePath === '/' ? '/' : volumePath.replace(/\/+$/, '');
