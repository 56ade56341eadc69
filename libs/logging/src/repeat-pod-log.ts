import { describeError } from '@lateen/errors';
import { type Clock, type LogFormat, orAborted, systemClock } from '@lateen/kernel';
import { cutLines } from './cut-lines.ts';
import { type MarkingFields, repeatedLine } from './repeated-line.ts';
import type { Sink } from './sink.ts';
import { textLine } from './text-line.ts';

export interface RepeatPodLogOptions {
  /** The other log as it comes; chunk borders mean nothing. */
  chunks: AsyncIterable<Uint8Array>;
  /** The sink that our own logger writes to. */
  sink: Sink;
  /** What every repeated line is marked with, besides pod and container: `{ dataUpload: 'ns/name' }`. */
  fields: MarkingFields & { readonly pod: string; readonly container: string };
  format: LogFormat;
  /**
   * The log is being written: its lines are passed on as they come, chunk by chunk. Without it they are collected, so
   * that a log which is whole already stays in one piece.
   */
  live?: boolean;
  /** A line of our own before the first. */
  remark?: string | undefined;
  signal?: AbortSignal;
  clock?: Clock;
  limits?: Partial<typeof repeatPodLogLimits>;
}

const KiB = 1024;

export const repeatPodLogLimits = {
  /** Longer lines are cut with a mark. */
  lineBytesMax: 64 * KiB,
  /** What is written in one piece. A log that is whole already and fits is never mixed with other lines; most do. */
  blockBytesMax: 256 * KiB,
  /** Kubelet rotates a container's log at 10 MiB; what is beyond twice that was not asked for. */
  logBytesMax: 20 * KiB * KiB,
};

/**
 * Repeats the log of another pod in our own (data-movement.md section 7, "Log redirection"). Lines stay whole whatever
 * the chunks and however many logs are repeated at once; each is marked with `fields`. In text form the log stands
 * between Velero's begin and end marks; lines of others stand there as well when it is live, and the fields tell
 * them apart. Memory is bounded by `blockBytesMax` and one line.
 *
 * @returns how many lines were repeated
 * @throws what the chunks throw, or the signal's reason; what came until then is written, and the end mark too.
 */
export async function repeatPodLog(options: RepeatPodLogOptions): Promise<{ lines: number }> {
  const { sink, fields, format, signal, clock = systemClock } = options;
  const limits = { ...repeatPodLogLimits, ...options.limits };
  const now = () => new Date(clock.now()).toISOString();
  const block = blockWriter(sink, limits.blockBytesMax);
  const mark = (what: 'begin' | 'end') => format === 'text' && block.add(markLine(what, fields));
  const note = (level: string, msg: string) => {
    const line = { time: now(), level, msg, ...fields };
    block.add(format === 'text' ? textLine(line) : JSON.stringify(line));
  };
  let lines = 0;
  let bytesLeft = limits.logBytesMax;

  mark('begin');
  if (options.remark !== undefined) note('info', options.remark);
  if (options.live === true) block.flush();
  const source = untilAborted(options.chunks, signal);
  const chunks = options.live === true ? flushedAfterEach(source, block.flush) : source;
  try {
    for await (const line of cutLines(chunks, limits.lineBytesMax)) {
      if (bytesLeft <= 0) {
        note('warning', `the rest of this pod log is not repeated: it is longer than ${limits.logBytesMax} bytes`);
        break;
      }
      bytesLeft -= line.text.length + line.cutBytes;
      if (line.text === '' && line.cutBytes === 0) continue;
      block.add(repeatedLine(line, fields, format, now()));
      lines++;
    }
  } catch (error) {
    note('warning', `this pod log ended early: ${describeError(error)}`);
    throw error;
  } finally {
    mark('end');
    block.flush();
  }
  return { lines };
}

const stars = '*'.repeat(27);
const markLine = (what: 'begin' | 'end', { pod, container }: { pod: string; container: string }) =>
  `${stars}${what} pod logs[${pod}/${container}]${stars}`;

/** Collects whole lines and hands them to the sink in one piece. */
function blockWriter(sink: Sink, bytesMax: number) {
  let lines: string[] = [];
  let chars = 0;
  const flush = () => {
    if (lines.length > 0) sink.write(`${lines.join('\n')}\n`);
    lines = [];
    chars = 0;
  };
  return {
    flush,
    add: (line: string) => {
      if (chars + line.length > bytesMax) flush();
      lines.push(line);
      chars += line.length + 1;
    },
  };
}

/** By the time the next chunk is asked for, the lines of the last one have been added. */
async function* flushedAfterEach(chunks: AsyncIterable<Uint8Array>, flush: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    flush();
  }
}

/** Ends at once on abort, even while the source hangs; the source is then told to end as well. */
async function* untilAborted(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (signal === undefined) return yield* chunks;
  signal.throwIfAborted();
  const source = chunks[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await orAborted(source.next(), signal);
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited: a source that hangs would hold us; it ends when its own work does.
    if (!ended) source.return?.()?.catch(() => {});
  }
}
