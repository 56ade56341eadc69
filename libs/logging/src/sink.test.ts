import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeLogger } from './make-logger.ts';
import { fdSink } from './sink.ts';

it.each([true, false])('writes to a file descriptor, synchronously: %s', (sync) => {
  const directory = mkdtempSync(join(tmpdir(), 'lateen-log-'));
  const path = join(directory, 'log');
  const fd = openSync(path, 'w');
  try {
    const sink = fdSink({ fd, sync });
    const log = makeLogger({ level: 'info', format: 'text', destination: sink });
    for (let line = 0; line < 100; line++) log.info({ line }, 'm');
    const before = readFileSync(path, 'utf8');
    sink.flush();
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(100);
    if (sync) expect(before.trimEnd().split('\n')).toHaveLength(100);
  } finally {
    closeSync(fd);
    rmSync(directory, { recursive: true });
  }
});
