import { lutimesSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildRunner } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { InputQueue } from './input-queue.ts';
import { kernelTime, roundedTime } from './nanosecond-times.ts';
import { timesProgram } from './times-program.ts';

export interface ExactTimesOptions {
  volumePath: string;
  /** Runs `perl`. */
  perl: ChildRunner;
  log: Logger;
  /** Ends the helper when it aborts. */
  signal?: AbortSignal | undefined;
}

/** An entry whose time could not be set, with the system's number of the error. */
export interface TimeFailure {
  path: string;
  errno: number;
}

/**
 * Sets times to the nanosecond, which Node cannot: fs.utimes takes seconds as a float. A helper does it, in batches, beside
 * the thread that writes. Without the helper's program the times are those that Node can set, which is told once.
 */
export interface ExactTimes {
  /** Last access and last change of this entry, a link itself included; sent with the next `settle`, or before. */
  add(path: string, mtimeNs: bigint): void;
  /** Resolves when all that was added before has its time, with those that could not get it. @throws VOLUME_TIMES_FAILED */
  settle(): Promise<readonly TimeFailure[]>;
  /** Ends the helper; what was not settled may be lost. */
  close(): Promise<void>;
}

/** One write to the helper; long enough to make its cost small, short enough to let it begin while we still write files. */
const batchEntries = 512;

export async function exactTimes(options: ExactTimesOptions): Promise<ExactTimes> {
  const program = timesProgram(process.arch);
  if (program === undefined) return roundedTimes(options, new Error(`no system calls for ${process.arch}`));
  const times = new HelperTimes(options, program);
  try {
    // Does it run at all?
    await times.settle();
    return times;
  } catch (error) {
    options.signal?.throwIfAborted();
    return roundedTimes(options, error);
  }
}

/** What Node can do by itself. */
function roundedTimes({ volumePath, log }: ExactTimesOptions, err: unknown): ExactTimes {
  log.warn({ err }, 'times of restored entries are set to the microsecond only, because their helper does not run');
  const failures: TimeFailure[] = [];
  return {
    add: (path, mtimeNs) => {
      const time = roundedTime(mtimeNs);
      try {
        lutimesSync(join(volumePath, path), time, time);
      } catch (error) {
        failures.push({ path, errno: Math.abs((error as NodeJS.ErrnoException).errno ?? 0) });
      }
    },
    settle: () => Promise.resolve(failures.splice(0)),
    close: () => Promise.resolve(),
  };
}

class HelperTimes implements ExactTimes {
  readonly #options: ExactTimesOptions;
  readonly #program: string;
  readonly #input = new InputQueue();
  #batch: string[] = [];
  #run: Promise<void> | undefined;
  /** Of each `settle` that the helper has not answered, in order. */
  readonly #asked: { resolve(failures: TimeFailure[]): void; reject(error: unknown): void }[] = [];
  #answer = '';
  #failures: TimeFailure[] = [];
  #ended: unknown;

  constructor(options: ExactTimesOptions, program: string) {
    this.#options = options;
    this.#program = program;
  }

  add(path: string, mtimeNs: bigint): void {
    const { seconds, nanoseconds } = kernelTime(mtimeNs);
    this.#batch.push(`${seconds} ${nanoseconds} ${path === '' ? '.' : path}\0`);
    if (this.#batch.length >= batchEntries) this.#send();
  }

  settle(): Promise<readonly TimeFailure[]> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#batch.push('\0');
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject });
      this.#send();
    });
  }

  async close(): Promise<void> {
    this.#input.end();
    await this.#run;
  }

  #send(): void {
    this.#input.push(Buffer.from(this.#batch.join('')));
    this.#batch = [];
    this.#run ??= this.#helper();
  }

  async #helper(): Promise<void> {
    const { perl, volumePath, signal } = this.#options;
    try {
      const decoder = new TextDecoder();
      const exit = await perl.run({
        args: ['-e', this.#program],
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
        cwd: volumePath,
        stdin: this.#input,
        onStdout: (chunk) => this.#take(decoder.decode(chunk, { stream: true })),
        signal,
      });
      signal?.throwIfAborted();
      this.#ended = helperEnded(exit.stderr);
    } catch (error) {
      this.#ended = error;
    }
    for (const { reject } of this.#asked.splice(0)) reject(this.#ended);
  }

  #take(text: string): void {
    const parts = (this.#answer + text).split('\0');
    this.#answer = parts.pop() ?? '';
    for (const part of parts) {
      if (part === '') this.#asked.shift()?.resolve(this.#failures.splice(0));
      else {
        const space = part.indexOf(' ');
        this.#failures.push({ path: part.slice(space + 1), errno: Number(part.slice(0, space)) });
      }
    }
  }
}

function helperEnded(stderr: string): AppError {
  return new AppError('VOLUME_TIMES_FAILED', `the helper that sets times of entries has ended: ${stderr.trim()}`, {
    retry: 'later',
  });
}
