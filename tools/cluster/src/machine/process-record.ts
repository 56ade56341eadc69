import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bootId, processFacts } from '@lateen/child-process';
import { readIfThere, writeFileAtomically } from '../host/write-file.ts';

/** Identifies a process that we started, so that no other process can be mistaken for it. */
export interface ProcessRecord {
  name: string;
  pid: number;
  startTicks: string;
  bootId: string;
  /** Digest of program, arguments and configuration: another digest means that it has to be restarted. */
  fingerprint: string;
}

const recordFile = (dir: string, name: string): string => join(dir, `${name}.json`);

export async function writeRecord(dir: string, record: ProcessRecord): Promise<void> {
  await writeFileAtomically(recordFile(dir, record.name), `${JSON.stringify(record)}\n`);
}

/** The record with that name, or undefined when there is none or it cannot be read. */
export async function readRecord(dir: string, name: string): Promise<ProcessRecord | undefined> {
  const text = await readIfThere(recordFile(dir, name));
  return text === undefined ? undefined : parseRecord(text);
}

export async function readRecords(dir: string): Promise<ProcessRecord[]> {
  const names = await readdir(dir).catch(() => []);
  const records = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map((name) => readRecord(dir, name.slice(0, -'.json'.length))),
  );
  return records.filter((record) => record !== undefined);
}

/** A file that is truncated by a full disk or written by another version is not a record. */
export function parseRecord(text: string): ProcessRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, pid, startTicks, bootId: boot, fingerprint } = value as Partial<Record<keyof ProcessRecord, unknown>>;
  if (typeof name !== 'string' || typeof pid !== 'number' || typeof startTicks !== 'string') return undefined;
  if (typeof boot !== 'string' || typeof fingerprint !== 'string') return undefined;
  return { name, pid, startTicks, bootId: boot, fingerprint };
}

/** True while exactly the recorded process runs: same boot, same pid, same start, not a zombie. */
export async function isAlive(record: ProcessRecord): Promise<boolean> {
  if (record.bootId !== (await bootId())) return false;
  const facts = await processFacts(record.pid);
  return facts !== undefined && facts.startTicks === record.startTicks && !facts.zombie;
}

/** The record of a running process; undefined when it has already ended. Never throws. */
export async function recordOf(name: string, pid: number, fingerprint: string): Promise<ProcessRecord | undefined> {
  const facts = await processFacts(pid);
  if (facts === undefined || facts.zombie) return undefined;
  return { name, pid, startTicks: facts.startTicks, bootId: await bootId(), fingerprint };
}
