import { parseVolumeReference } from '@lateen/operations/volume';
import { describe, expect, it } from 'vitest';
import { parseDuration } from './parse-duration.ts';
import { parseKeyValues } from './parse-key-values.ts';

describe('flags', () => {
  it.each([
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['250ms', 250],
  ])('read the duration %s', (text, ms) => expect(parseDuration('--t', text)).toBe(ms));
  it.each(['', '10', 's', '-5s', '5 s', '5d', '5s5'])('reject the duration %j, with the name of the flag', (text) => {
    expect(() => parseDuration('--t', text)).toThrow(`--t "${text}" is not a duration`);
  });
  it('read key=value pairs, values may hold "="', () => {
    expect(parseKeyValues('--c', 'a=1,b=x=y,c=')).toEqual({ a: '1', b: 'x=y', c: '' });
  });
  it.each([
    ['a', '"a" is not of the form key=value'],
    ['=1', '"=1" is not of the form key=value'],
    ['a=1,a=2', '"a" is given twice'],
    ['', '"" is not of the form key=value'],
  ])('reject %j', (text, message) => {
    expect(() => parseKeyValues('--c', text)).toThrow(message);
  });
  it('read a volume as NAMESPACE/PVC and reject everything else', () => {
    expect(parseVolumeReference('shop/data')).toEqual({ namespace: 'shop', pvc: 'data' });
    for (const text of ['data', 'a/b/c', '/data', 'shop/', 'Shop/data', '../data', 'shop/..', 'shop/da ta'])
      expect(() => parseVolumeReference(text)).toThrow('does not name a volume');
  });
});
