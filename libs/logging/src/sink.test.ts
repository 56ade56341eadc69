import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeLogger } from './make-logger.ts';
import { fdSink } from './sink.ts';

it('has written everything to its file descriptor when a call returns', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lateen-log-'));
  const path = join(directory, 'log');
  const fd = openSync(path, 'w');
  try {
    const log = makeLogger({ level: 'info', format: 'text', destination: fdSink({ fd }) });
    for (let line = 1; line <= 100; line++) {
      log.info({ line }, 'm');
      expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(line);
    }
  } finally {
    closeSync(fd);
    rmSync(directory, { recursive: true });
  }
});
