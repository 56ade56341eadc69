import { describe, expect, it } from 'vitest';
import { isWebPage, saidText, sentSecrets } from './said-text.ts';

describe('messages of a store', () => {
  it.each<[string, readonly string[], string]>([
    ['one line\nand more\u0000\u202e.', [], 'one line and more .'],
    ['key SECRET/1+2 of SECRET/1+2', ['SECRET/1+2'], 'key *** of ***'],
    ['a short one', ['a'], 'a short one'],
    ['Signature=0a1b2c, sig=AbC%3D&se=1', [], 'Signature=***, sig=***&se=1'],
    ['authorization: Bearer ya29.x-y_z', [], 'authorization: Bearer ***'],
    ['SharedKey acct:bWFj/bWFj=', [], 'SharedKey acct:***'],
    ['x'.repeat(1_000_000), [], `${'x'.repeat(300)}…`],
  ])('%.40s is shown without credentials, on one line, and truncated', (text, secrets, shown) =>
    expect(saidText(text, secrets)).toBe(shown),
  );

  it('sentSecrets lists authentication headers and the signature at their end', () => {
    const headers = {
      Authorization: 'AWS4-HMAC-SHA256 Credential=A/1, SignedHeaders=host, Signature=0a1b2c3d',
      'x-amz-security-token': 'token+1==',
      host: 'h',
    };
    expect(sentSecrets(headers)).toEqual([headers.Authorization, '0a1b2c3d', 'token+1==', 'token+1']);
  });

  it.each([
    ['<!DOCTYPE html><p>', undefined, true],
    ['\n<HTML>', undefined, true],
    ['hello', 'text/html; charset=utf-8', true],
    ['', 'text/html', false],
    ['<Error/>', 'application/xml', false],
  ])('%j is a web page: %s', (text, type, expected) => expect(isWebPage(text, type)).toBe(expected));
});
