import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { engineFailure, repositoryFailures } from './engine-failure.ts';
import type { EngineExit } from './engine-process.ts';
import { redact } from './redact.ts';

const failed = (stderr: string, more: Partial<EngineExit> = {}): EngineExit => ({
  exitCode: 1,
  endedBy: undefined,
  stdout: '',
  stderr,
  aborted: false,
  ...more,
});
const tell = (exit: EngineExit, secrets: string[] = []) =>
  engineFailure(exit, repositoryFailures, {
    subject: { repository: 'bucket "b"', doing: 'uploading /v' },
    fallbackCode: 'ENGINE_FAILED',
    secrets,
  });

describe('engineFailure', () => {
  it.each([
    ['open repository: unable to create format manager: invalid repository password', 'REPOSITORY_PASSWORD_WRONG'],
    ['unable to read format blob: error getting kopia.repository blob: BLOB not found', 'REPOSITORY_NOT_FOUND'],
    ['unable to get repository storage: found existing data in storage location', 'REPOSITORY_LOCATION_NOT_EMPTY'],
    ['The request signature we calculated does not match the signature you provided.', 'OBJECT_STORE_FORBIDDEN'],
    ['Get "http://h/b": dial tcp: lookup h on 1.1.1.1:53: no such host', 'OBJECT_STORE_UNAVAILABLE'],
    ['Get "https://h/b": http: server gave HTTP response to HTTPS client', 'OBJECT_STORE_UNAVAILABLE'],
    ['The specified bucket does not exist', 'BUCKET_NOT_FOUND'],
    ['something else', 'ENGINE_FAILED'],
  ])('tells %j as %s', (stderr, code) => expect(tell(failed(stderr)).code).toBe(code));

  it('says once what kopia says twice, leaves progress out, and keeps the last lines', () => {
    const stderr =
      ' | 0 hashing, 1 hashed (1 B), 0 cached (0 B), uploaded 0 B, estimating...\r\n' +
      'failed to open repository: cannot open storage: no luck\n' +
      'open repository: unable to open repository: cannot open storage: no luck\n';
    expect(tell(failed(stderr)).message).toBe(
      'uploading /v: the engine failed with exit code 1: failed to open repository: cannot open storage: no luck',
    );
  });

  it('finds an error that shares its line with progress', () => {
    const stderr =
      '\rProcessed 30 (12.6 MB) of 31 (67.1 MB).\rProcessed 31 (53.8 MB) of 31 (67.1 MB) 52.4 MB/s (80.2%) remaining 0s.' +
      'error restoring: chmod /v/x: operation not permitted\n';
    expect(tell(failed(stderr)).message).toContain('exit code 1: error restoring: chmod /v/x: operation not permitted');
  });

  it('stays short whatever the engine prints', () => {
    const noise = Array.from({ length: 500 }, (_, line) => `line ${line} ${'x'.repeat(2000)}`).join('\n');
    const { message } = tell(failed(noise));
    expect(message.length).toBeLessThan(3000);
    expect(message).toContain('line 499');
  });

  it('names memory as the usual cause of a kill', () => {
    expect(tell(failed('', { exitCode: undefined, endedBy: 'SIGKILL' }))).toMatchObject({
      code: 'ENGINE_KILLED',
      nextStep: expect.stringContaining('memoryLimit'),
    });
  });

  it('never carries a secret, wherever the engine printed it', () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9/+=]{8,30}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.array(fc.string()), (secrets, texts) => {
        const stderr = texts.flatMap((text, index) => [text, secrets[index % secrets.length]]).join(' ');
        const { message } = tell(failed(stderr), secrets);
        // "***" and our own words may hold a secret only if the secret is a piece of them.
        const ours = tell(failed('')).message;
        for (const secret of secrets)
          expect(message.replace(ours, '').includes(secret) && !ours.includes(secret)).toBe(false);
      }),
    );
  });
});

describe('redact', () => {
  it('blots out the longer secret first and leaves very short ones', () => {
    expect(redact('pass pass-word a', ['pass', 'pass-word', 'a', ''])).toBe('*** *** a');
  });
});
