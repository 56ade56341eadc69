import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock } from '@lateen/kernel';
import { threadProgram } from '@lateen/testing';
import { type WorkerPool, workerPool } from '@lateen/worker-pool';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { entryColumns, folderColumns } from './entry-columns.ts';
import type { RestoreTask, RestoreTaskResult, RestoreWorkerData } from './restore-task.ts';

const { signal } = new AbortController();
const attributes = { mode: 0o640, uid: 0, gid: 0, mtimeNs: 1_700_000_000_123_456_789n };
const keys = {
  hash: 'BLAKE2B-256-128',
  hashSecret: Buffer.alloc(32, 3),
  encryption: 'AES256-GCM-HMAC-SHA256',
  encryptionSecret: Buffer.alloc(32, 4),
};

let programs: string;
let program: URL;
beforeAll(async () => {
  programs = mkdtempSync(join(tmpdir(), 'lateen-serve-restore-programs-'));
  program = await threadProgram(new URL('./program-of-tests.ts', import.meta.url), programs);
});
afterAll(() => rmSync(programs, { recursive: true }));

let volumePath: string;
beforeEach(() => {
  volumePath = mkdtempSync(join(tmpdir(), 'lateen-serve-restore-'));
});
afterEach(() => rmSync(volumePath, { recursive: true }));

function threads(size: number): WorkerPool<RestoreTask, RestoreTaskResult> {
  const data: RestoreWorkerData = { keys, target: { kind: 'files', volumePath, writesSparse: false } };
  // No thread is terminated from outside.
  const clock = { ...systemClock, deadline: () => signal };
  return workerPool({ program, size, data, clock, log: silentLogger });
}

const folder = { path: '', attributes };
const begin = (name: string): RestoreTask => {
  const entry = { ...attributes, name, type: 'file' as const, size: 9_000_000 };
  return { kind: 'begin', entries: entryColumns([{ folder, entry }]) };
};
const end: RestoreTask = { kind: 'finish-folders', folders: folderColumns([folder]) };

/** Children of this process, including ended ones that were not waited for. */
function childrenCalled(name: string): string[] {
  const processes = readdirSync('/proc').filter((each) => /^\d+$/.test(each));
  return processes.filter((pid) => {
    const [, comm, parent] = /\((.*)\) \S (\d+)/s.exec(textOf(`/proc/${pid}/stat`)) ?? [];
    return comm === name && Number(parent) === process.pid;
  });
}

const openBelow = (path: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    const to = linkOf(`/proc/self/fd/${fd}`);
    return to.startsWith(`${path}/`) ? [to] : [];
  });

const textOf = (path: string): string => orEmpty(() => readFileSync(path, 'utf8'));
const linkOf = (path: string): string => orEmpty(() => readlinkSync(path));

/** Processes and descriptors appear and disappear while they are read. */
function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

describe('threads that restore a volume', () => {
  it('leave no child process and no open file', async () => {
    const before = childrenCalled('perl').length;
    const pool = threads(2);
    await Promise.all([begin('a'), begin('b'), end, end].map((task) => pool.run(task, signal)));
    expect(childrenCalled('perl').length - before).toBe(2);
    expect(openBelow(volumePath).sort()).toEqual([join(volumePath, 'a'), join(volumePath, 'b')]);
    await pool.close();
    expect(childrenCalled('perl').length - before).toBe(0);
    expect(openBelow(volumePath)).toEqual([]);
  });

  it('leave none even when they are stopped before they have begun', async () => {
    const before = childrenCalled('perl').length;
    await threads(2).close();
    expect(childrenCalled('perl').length - before).toBe(0);
  });
});
