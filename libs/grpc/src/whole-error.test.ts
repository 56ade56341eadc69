import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectUnix } from './connect.ts';
import { TestClient, type TestServer, testService } from './test-service.ts';
import { serveUnix, type UnixServer } from './unix-server.ts';
import { wholeErrorOf } from './whole-error.ts';

const never = new AbortController().signal;
let directory = '';
let server: UnixServer | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-errors-'));
});
afterEach(async () => {
  await server?.stop(0);
  await rm(directory, { recursive: true, force: true });
});

async function thrownAcross(error: unknown, errors: 'whole' | 'statuses' = 'whole'): Promise<unknown> {
  const endpoint = `unix://${join(directory, 'errors.sock')}`;
  const say = async () => {
    throw error;
  };
  server = await serveUnix(endpoint, [testService({ say }, { errors })], systemClock);
  using client = connectUnix<TestServer>(endpoint, TestClient);
  return await client.say({ text: '' }, { signal: never }).catch((thrown: unknown) => thrown);
}

describe('whole errors', () => {
  it('are transferred with code, message, causes, retry fate and next step, without the details for the log', async () => {
    const error = new AppError('REPLICA_GONE', 'the folder of r-1 is gone', {
      retry: 'later',
      cause: new Error('no such file'),
      nextStep: 'Mount the disk.',
      details: { where: '/disk' },
    });
    expect(await thrownAcross(error)).toMatchObject({
      code: 'REPLICA_GONE',
      message: 'the folder of r-1 is gone: no such file',
      retry: 'later',
      nextStep: 'Mount the disk.',
      details: {},
    });
  });

  it('are transferred at any length and in any script', async () => {
    const error = new AppError('REPLICA_GONE', '卷'.repeat(10_000), { nextStep: 'ß'.repeat(10_000) });
    const thrown = (await thrownAcross(error)) as AppError;
    expect(thrown.code).toBe('REPLICA_GONE');
    expect(thrown.message).toBe('卷'.repeat(2_000));
  });

  it('keep their status for clients that know only the status', async () => {
    expect(await thrownAcross(new AppError('REPLICA_GONE', 'gone'), 'statuses')).toMatchObject({ code: 'INTERNAL' });
  });

  it('are sent only for AppErrors: a bug is INTERNAL', async () => {
    expect(await thrownAcross(new TypeError('bug'))).toMatchObject({ code: 'INTERNAL', message: 'say: bug' });
  });

  it.each(['', 'no JSON', 'null', '[]', '{"code":1}', '{"code":"","message":"m"}', '{"code":"C"}'])(
    'are ignored when the server sends %j',
    (text) => {
      const metadata = new Metadata();
      metadata.set('lateen-error-bin', Buffer.from(text));
      expect(wholeErrorOf(Object.assign(new Error('e'), { code: 13, details: 'e', metadata }))).toBeUndefined();
    },
  );
});
