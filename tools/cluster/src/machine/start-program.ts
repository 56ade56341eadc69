import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { allProcesses, commandLine } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { lastLogLines } from '../host/child-server.ts';
import { waitUntil } from '../host/wait-until.ts';
import { endProcess } from './end-process.ts';
import { enterArguments } from './enter-machine.ts';
import { isAlive, type ProcessRecord, readRecord, recordOf, writeRecord } from './process-record.ts';
import { type Machine, machineEnvironment } from './start-machine.ts';

/** A program that has to run in a machine. */
export interface Program {
  /** Name of its record and log: `kubelet`. */
  name: string;
  /** Absolute path inside the machine, then its arguments. Visible in the process table: no secrets. */
  argv: readonly [string, ...string[]];
  /** Environment; secrets belong here. */
  env?: Readonly<Record<string, string>>;
  /** Texts of its configuration files: when one changes, the program is restarted. */
  configuration?: readonly string[];
}

/** A running program. */
export interface RunningProgram {
  record: ProcessRecord;
  logFile: string;
  /** False when it was already running. */
  launched: boolean;
  /** Why it no longer runs; only ends since this call started it are noticed. */
  ended(): Error | undefined;
}

const startTimeoutMs = 10_000;
/** One log file and its predecessor per program: enough for diagnosis, and bounded on a cluster that runs for weeks. */
const logBytesMax = 32 * 1024 * 1024;

/**
 * Makes sure that the program runs with this command line and configuration. A program that does is not changed; one with another
 * configuration is ended first. The program keeps running when this process ends; its pid is recorded.
 */
export async function startProgram(machine: Machine, program: Program, clock: Clock): Promise<RunningProgram> {
  const { layout } = machine;
  const logFile = join(layout.logDir, `${program.name}.log`);
  const fingerprint = fingerprintOf(machine, program);
  const kept = await readRecord(layout.recordDir, program.name);
  if (kept && (await isAlive(kept))) {
    if (kept.fingerprint === fingerprint) return { record: kept, logFile, launched: false, ended: () => undefined };
    await endProcess(kept, clock, { atOnce: false });
  }
  return launch(machine, program, fingerprint, logFile, clock);
}

/** Compares what the program was started with, including the machine, because its programs end with it. */
function fingerprintOf(machine: Machine, program: Program): string {
  const facts = [machine.initPid, program.argv, program.env ?? {}, program.configuration ?? []];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

async function launch(
  machine: Machine,
  program: Program,
  fingerprint: string,
  logFile: string,
  clock: Clock,
): Promise<RunningProgram> {
  await mkdir(machine.layout.logDir, { recursive: true });
  await keepLogSmall(logFile);
  const log = await open(logFile, 'a');
  let end: Error | undefined;
  const child = spawn('nsenter', [...enterArguments(machine.initPid), ...program.argv], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: { ...machineEnvironment(machine.layout), ...program.env },
  });
  child.on('error', (error) => {
    end = error;
  });
  child.on('exit', (code, signal) => {
    end = new AppError('PROCESS_ENDED', `${program.name} ended with ${signal ?? `exit code ${code}`}`);
  });
  child.unref();
  await log.close();
  try {
    const find = () => childRecord(child.pid, program.name, fingerprint);
    const what = `${program.name} has started`;
    const record = await waitUntil(find, { what, timeoutMs: startTimeoutMs, clock, hopeless: () => end });
    await writeRecord(machine.layout.recordDir, record);
    return { record, logFile, launched: true, ended: () => end };
  } catch (cause) {
    const said = await lastLogLines(logFile);
    throw new AppError('PROGRAM_NOT_STARTED', `${program.name} could not be started:\n${said}`, { cause });
  }
}

/** nsenter stays outside and waits; the program is its only child, as soon as that is no longer nsenter itself. */
async function childRecord(
  nsenterPid: number | undefined,
  name: string,
  fingerprint: string,
): Promise<ProcessRecord | undefined> {
  const child = (await allProcesses()).find((facts) => facts.parentPid === nsenterPid);
  if (child === undefined || (await commandLine(child.pid))[0] === 'nsenter') return undefined;
  return recordOf(name, child.pid, fingerprint);
}

async function keepLogSmall(logFile: string): Promise<void> {
  const size = await stat(logFile).then(
    (facts) => facts.size,
    () => 0,
  );
  if (size > logBytesMax) await rename(logFile, `${logFile}.old`);
}
