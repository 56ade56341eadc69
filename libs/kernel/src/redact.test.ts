import { describe, expect, it } from 'vitest';
import { redactText } from './redact.ts';

describe('redactText', () => {
  it.each([
    ['psql: PGPASSWORD=hunter2 is wrong', 'psql: PGPASSWORD=[redacted] is wrong'],
    ['AWS_SECRET_ACCESS_KEY: abc', 'AWS_SECRET_ACCESS_KEY: [redacted]'],
    ['{"password": "hunter2"}', '{"password": [redacted]'],
    ['postgres://app:hunter2@db/shop', 'postgres://[redacted]@db/shop'],
    ['Authorization: Bearer abcdefgh.12', 'Authorization: Bearer [redacted]'],
    [
      'GET http://s/b?X-Amz-Credential=a%2Fb&X-Amz-Date=1&X-Amz-Signature=0f',
      'GET http://s/b?X-Amz-Credential=[redacted]&X-Amz-Date=1&X-Amz-Signature=[redacted]',
    ],
    ['"https://a.blob/c?se=1&sig=a%3D"', '"https://a.blob/c?se=1&sig=[redacted]"'],
    ['the password of the user is wrong', 'the password of the user is wrong'],
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });
});
