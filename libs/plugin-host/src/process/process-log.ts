import { outputLines } from '@lateen/child-process';
import { type Clock, type Logger, redactText } from '@lateen/kernel';
import { pluginLogReader } from '@lateen/plugin-protocol';
import { FloodGate } from './flood-gate.ts';

/** Receives the output of one process. Chunks may be split anywhere. */
export interface ProcessLog {
  /** Log lines of the program. */
  stderr(text: string): void;
  /** What it prints, logged at debug. */
  stdout(text: string): void;
  /** Logs the rest after the last line, and the number of dropped lines. */
  end(): void;
}

/**
 * Writes the lines of a process to the log of its run, with the program's name and the line's own level. Lines at warn and error have a limit of
 * their own, so that a flood of other lines does not hide them.
 */
export function processLog(log: Logger, clock: Clock, linesPerSecond: number): ProcessLog {
  const dropped = (levels: string) => (lines: number) =>
    log.warn({ lines, levels, linesPerSecond }, 'the plugin program logs too much, lines of it were dropped');
  const grave = new FloodGate(clock, linesPerSecond, dropped('warn, error'));
  const plain = new FloodGate(clock, linesPerSecond, dropped('debug, info'));
  const read = pluginLogReader();
  const stderr = outputLines((line) => {
    const { level, message, fields } = read(line);
    const gate = level === 'warn' || level === 'error' ? grave : plain;
    if (gate.pass()) log[level](fields, redactText(message));
  });
  const stdout = outputLines((line) => {
    if (plain.pass()) log.debug({ printed: true }, redactText(line));
  });
  return {
    stderr: stderr.push,
    stdout: stdout.push,
    end: () => {
      stderr.end();
      stdout.end();
      grave.end();
      plain.end();
    },
  };
}
