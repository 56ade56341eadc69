import { readdirSync, readFileSync, writeSync } from 'node:fs';
import { systemClock } from '@lateen/kernel';
import type { SampledArguments } from './sample-arguments.ts';

/*
 * A separate process, because a busy test would miss short-lived processes. Remembers each command line of any process of this machine
 * until its standard input ends, and prints them as JSON.
 */
const everyMs = 50;
const commandsMax = 50_000;

const commands = new Set<string>();
let samples = 0;
let dropped = 0;
const ended = new AbortController();
process.stdin.on('end', () => ended.abort()).resume();

while (!ended.signal.aborted) {
  for (const pid of readdirSync('/proc')) {
    const first = pid.charCodeAt(0);
    if (first >= 48 && first <= 57) remember(commandOf(pid));
  }
  samples += 1;
  await systemClock.sleep(everyMs, ended.signal).catch(() => {});
}
const result: SampledArguments = { samples, dropped, commands: [...commands] };
print(Buffer.from(JSON.stringify(result)));

function remember(command: string): void {
  if (command === '' || commands.has(command)) return;
  if (commands.size < commandsMax) commands.add(command);
  else dropped += 1;
}

/** Empty for a kernel thread, and for a process that has ended meanwhile. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Writes synchronously, so that everything is written before the process ends, whatever kind of pipe it is. */
function print(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}
