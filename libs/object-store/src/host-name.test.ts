import { describe, expect, it } from 'vitest';
import { isHostAndPort, isHostLabel } from './host-name.ts';

describe('a part of a host name', () => {
  it.each(['eu-west-1', 'cn-north-1', 'r', '1', 'a'.repeat(63)])('accepts %j', (text) => {
    expect([isHostLabel(text), isHostAndPort(text)]).toEqual([true, true]);
  });

  it.each([
    '',
    'x.evil.invalid/?',
    'x/',
    'x?',
    'x#',
    'x\\',
    'x@y',
    'x:1',
    'x y',
    'x\n',
    'x%2f',
    'x.y',
    '-x',
    'x-',
    'X',
    'x_y',
    '..',
    'ü',
    'a'.repeat(64),
  ])('rejects %j', (text) => expect(isHostLabel(text)).toBe(false));
});

describe('a host with its port', () => {
  it.each(['s3.test', 's3.test:9000', '10.0.0.1:80', '[fd00::1]:9000', 'minio_1:9000', 'S3.Test', 's3.test.'])(
    'accepts %j',
    (text) => {
      expect(isHostAndPort(text)).toBe(true);
    },
  );

  it.each(['', 's3.test/', 's3.test?x', 'a@b', 'a:b', 'a:1:2', 'a..b', '.a', 'a b', 'a\n', 'a:123456', '[x]'])(
    'rejects %j',
    (text) => expect(isHostAndPort(text)).toBe(false),
  );
});
