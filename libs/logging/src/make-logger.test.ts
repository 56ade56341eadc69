import { AppError } from '@lateen/errors';
import { FakeClock } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type MakeLoggerOptions, makeLogger } from './make-logger.ts';

function logTo(options: Partial<MakeLoggerOptions> = {}) {
  const written: string[] = [];
  const destination = { write: (lines: string) => void written.push(lines) };
  const log = makeLogger({ level: 'info', format: 'json', destination, clock: new FakeClock(), ...options });
  return { log, written, last: () => JSON.parse(written.at(-1) ?? '') as Record<string, unknown> };
}

describe('makeLogger', () => {
  it('writes one JSON document per line, with the fields of the child and of the call', () => {
    const { log, written } = logTo();
    log.child({ controller: 'data-upload', name: 'a' }).info({ name: 'b', phase: 'New' }, 'seen');
    expect(written).toEqual([
      '{"level":"info","time":"2030-01-01T00:00:00.000Z","controller":"data-upload","name":"b","phase":"New","msg":"seen"}\n',
    ]);
  });

  it('writes the text form of logrus on request', () => {
    const { log, written } = logTo({ format: 'text' });
    log.child({ name: 'b c' }).warn({ count: 3, ready: false, list: [1, 'x'] }, 'pod is "slow"\nagain');
    expect(written).toEqual([
      'time="2030-01-01T00:00:00.000Z" level=warning msg="pod is \\"slow\\"\\nagain" count=3 list="[1,\\"x\\"]" name="b c" ready=false\n',
    ]);
  });

  it('writes any other form with a function, which gets the redacted line', () => {
    const { log, written } = logTo({ format: ({ time: _, ...line }) => JSON.stringify(line) });
    log.warn({ err: new Error('outer', { cause: new Error('inner') }), token: 't' }, 'slow');
    expect(written).toEqual([expect.stringContaining('"error":"outer: inner"')]);
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ level: 'warn', message: 'slow' });
    expect(written[0]).not.toContain('"t"');
  });

  it.each([
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
  ] as const)('at level %s writes %i of four lines', (level, lines) => {
    const { log, written } = logTo({ level });
    log.debug({}, 'm');
    log.info({}, 'm');
    log.warn({}, 'm');
    log.error({}, 'm');
    expect(written).toHaveLength(lines);
  });

  it('changes its level at runtime, also for its children, and adds stacks of errors only at debug', () => {
    const { log, written, last } = logTo();
    const child = log.child({ part: 'p' });
    child.debug({}, 'm');
    log.setLevel('debug');
    child.debug({ err: new Error('e') }, 'm');
    expect(written).toHaveLength(1);
    expect(last().err).toHaveProperty('stack');
    log.setLevel('error');
    child.warn({}, 'm');
    child.error({ err: new Error('e') }, 'm');
    expect(written).toHaveLength(2);
    expect(last().err).not.toHaveProperty('stack');
  });

  it.each([
    ['at the top', { password: 'hunter2' }],
    ['deep inside', { spec: { list: [{ config: { repositoryPassword: 'hunter2' } }] } }],
    [
      'whatever the spelling',
      { AWS_SECRET_ACCESS_KEY: 'hunter2', 'session-token': 'hunter2', Authorization: 'hunter2' },
    ],
    ['in a Secret', { object: { kind: 'Secret', data: { cloud: 'hunter2' }, stringData: { a: 'hunter2' } } }],
    ['in details of an error', { err: new AppError('X', 'm', { details: { token: 'hunter2' } }) }],
    ['in the text of an error', { err: new Error('GET https://user:hunter2@host failed with Bearer hunter2hunter2') }],
    ['in a cause', { err: new Error('m', { cause: new Error('password=hunter2') }) }],
    ['under a field name that the caller adds', { pin: 'hunter2' }],
  ])('never writes a secret %s', (_where, fields) => {
    for (const format of ['json', 'text'] as const) {
      const { log, written } = logTo({ level: 'debug', format, redact: ['PIN'] });
      log.child(fields).info(fields, 'm');
      expect(written.join('')).not.toContain('hunter2');
      expect(written.join('')).toContain('[redacted]');
    }
  });

  it('shows references to secrets', () => {
    const { log, last } = logTo();
    log.info({ secretName: 'cloud-credentials', tokenFile: '/t', secretRef: { name: 'a' } }, 'm');
    expect(last()).toMatchObject({ secretName: 'cloud-credentials', tokenFile: '/t', secretRef: { name: 'a' } });
  });

  it('logs an error with its code, its causes once each, and the next step', () => {
    const inner = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const err = new AppError('KUBE_UNAVAILABLE', 'cannot list pods', {
      cause: new Error('fetch failed', { cause: inner }),
      nextStep: 'Check the server',
      details: { attempt: 2 },
    });
    const { log, last } = logTo();
    log.error({ err }, 'failed');
    expect(last().err).toEqual({
      message: 'cannot list pods',
      code: 'KUBE_UNAVAILABLE',
      nextStep: 'Check the server',
      causes: ['fetch failed', 'connect ECONNREFUSED'],
      details: { attempt: 2 },
    });
  });

  it('logs an error in text form under the keys of logrus', () => {
    const { log, written } = logTo({ format: 'text' });
    log.error({ err: new AppError('X_FAILED', 'outer', { cause: new Error('inner'), nextStep: 'Wait' }) }, 'failed');
    expect(written[0]).toContain('error="outer: inner" errorCode=X_FAILED nextStep=Wait');
  });

  it('adds the stack at level debug only', () => {
    for (const level of ['info', 'debug'] as const) {
      const { log, last } = logTo({ level });
      log.error({ err: new Error('boom') }, 'failed');
      expect('stack' in (last().err as object)).toBe(level === 'debug');
    }
  });

  it('handles any value: cycles, depth, size, unusual types and own field names', () => {
    const cycle: Record<string, unknown> = { name: 'x' };
    cycle.self = cycle;
    const wide = Array.from({ length: 50 }, () =>
      Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => 1)),
    );
    const cause = new Error('a');
    cause.cause = cause;
    const { log, written, last } = logTo();
    log.info(
      {
        cycle,
        wide,
        long: 'x'.repeat(1e6),
        big: 1n,
        fn: () => 1,
        date: new Date(0),
        bytes: Buffer.from('ab'),
        err: cause,
      },
      'm',
    );
    log.info({ time: 'a', level: 'b', msg: 'c', none: undefined }, 'real');
    expect(written[0]?.length).toBeLessThan(100_000);
    expect(last()).toMatchObject({
      level: 'info',
      msg: 'real',
      'fields.time': 'a',
      'fields.level': 'b',
      'fields.msg': 'c',
    });
  });

  it('does not change its arguments', () => {
    const fields = Object.freeze({ password: 'p', spec: Object.freeze({ token: 't' }) });
    logTo().log.info(fields, 'm');
    expect(fields).toEqual({ password: 'p', spec: { token: 't' } });
  });
});
