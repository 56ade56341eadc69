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
    [
      "unable to create format manager: can't parse format blob: invalid format blob: unexpected end of JSON input",
      'REPOSITORY_CORRUPTED',
    ],
    ['unable to read format blob: error getting kopia.repository blob: BLOB not found', 'REPOSITORY_NOT_FOUND'],
    ['unable to get repository storage: found existing data in storage location', 'REPOSITORY_LOCATION_NOT_EMPTY'],
    ['The request signature we calculated does not match the signature you provided.', 'OBJECT_STORE_FORBIDDEN'],
    ['Get "http://h/b": dial tcp: lookup h on 1.1.1.1:53: no such host', 'OBJECT_STORE_UNAVAILABLE'],
    ['Get "https://h/b": http: server gave HTTP response to HTTPS client', 'OBJECT_STORE_UNAVAILABLE'],
    ['The specified bucket does not exist', 'BUCKET_NOT_FOUND'],
    ["can't write: write /b/p123: no space left on device", 'OBJECT_STORE_FULL'],
    ['XMinioStorageFull: Storage backend has reached its minimum free drive threshold.', 'OBJECT_STORE_FULL'],
    ['something else', 'ENGINE_FAILED'],
  ])('maps %j to %s', (stderr, code) => expect(tell(failed(stderr)).code).toBe(code));

  it('drops repeated text and progress lines of kopia, and keeps the last lines', () => {
    const stderr =
      ' | 0 hashing, 1 hashed (1 B), 0 cached (0 B), uploaded 0 B, estimating...\r\n' +
      'failed to open repository: cannot open storage: no luck\n' +
      'open repository: unable to open repository: cannot open storage: no luck\n';
    expect(tell(failed(stderr)).message).toBe(
      'uploading /v: the engine failed with exit code 1: failed to open repository: cannot open storage: no luck',
    );
  });

  it('finds an error on the same line as progress', () => {
    const stderr =
      '\rProcessed 30 (12.6 MB) of 31 (67.1 MB).\rProcessed 31 (53.8 MB) of 31 (67.1 MB) 52.4 MB/s (80.2%) remaining 0s.' +
      'error restoring: chmod /v/x: operation not permitted\n';
    expect(tell(failed(stderr)).message).toContain('exit code 1: error restoring: chmod /v/x: operation not permitted');
  });

  it('limits the length of the message', () => {
    const noise = Array.from({ length: 500 }, (_, line) => `line ${line} ${'x'.repeat(2000)}`).join('\n');
    const { message } = tell(failed(noise));
    expect(message.length).toBeLessThan(3000);
    expect(message).toContain('line 499');
  });

  it('names memory as the usual cause of SIGKILL', () => {
    expect(tell(failed('', { exitCode: undefined, endedBy: 'SIGKILL' }))).toMatchObject({
      code: 'ENGINE_KILLED',
      nextStep: expect.stringContaining('memoryLimit'),
    });
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'])('reports %s before any output of the engine', (endedBy) => {
    const stderr =
      'Save(<data/1>) returned error, retrying after 1s: dial tcp 10.0.0.1:443: connect: connection refused\n';
    const error = tell(failed(stderr, { exitCode: undefined, endedBy }));
    expect(error).toMatchObject({ code: 'ENGINE_KILLED', retry: 'later', details: { endedBy } });
    expect(error.message).toContain(endedBy);
    expect(error.message).toContain('connection refused');
  });

  it("reports the engine's output when Lateen ended the engine itself", () => {
    const exit = failed('connection refused', { exitCode: undefined, endedBy: 'SIGKILL', aborted: true });
    expect(tell(exit).code).toBe('OBJECT_STORE_UNAVAILABLE');
  });

  it.each([
    ['restic', 'Save(<data/1>) returned error, retrying after 552.33ms: Put "https://h": dial tcp: connection refused'],
    ['restic', '\u001b[2KLoad(<key/1>, 0, 0) returned error, retrying after 1s: Access Denied.'],
    ['kopia', 'ignored error chown /v/x: connection refused on /v/x'],
    ['kopia', 'Ignored error when processing "x": read x: connection refused'],
  ])('does not report an error that %s has recovered from as the cause: %j', (_, survived) => {
    const error = tell(failed(`${survived}\nFatal: something else\n`));
    expect(error.code).toBe('ENGINE_FAILED');
    expect(error.message).toMatch(/: Fatal: something else$/);
    expect(tell(failed(`${survived}\nFatal: bucket does not exist\n`)).code).toBe('BUCKET_NOT_FOUND');
  });

  it('reports the retried error when the engine prints no other error', () => {
    const error = tell(failed('List(data) returned error, retrying after 1s: connection refused\n'));
    expect(error).toMatchObject({ code: 'ENGINE_FAILED', message: expect.stringContaining('connection refused') });
  });

  it('contains no secret, wherever the engine printed it', () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9/+=]{8,30}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.array(fc.string()), (secrets, texts) => {
        const stderr = texts.flatMap((text, index) => [text, secrets[index % secrets.length]]).join(' ');
        const { message } = tell(failed(stderr), secrets);
        // "***" and Lateen's own text contain a secret only if the secret is a part of that text.
        const ours = tell(failed('')).message;
        for (const secret of secrets)
          expect(message.replace(ours, '').includes(secret) && !ours.includes(secret)).toBe(false);
      }),
    );
  });
});

describe('redact', () => {
  it('redacts the longer secret first and leaves very short ones', () => {
    expect(redact('pass pass-word a', ['pass', 'pass-word', 'a', ''])).toBe('*** *** a');
  });
});
