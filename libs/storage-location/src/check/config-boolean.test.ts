import { describe, expect, it } from 'vitest';
import { configBoolean } from './config-boolean.ts';

describe('a boolean of spec.config', () => {
  it.each([
    ['true', true],
    ['True', true],
    ['T', true],
    ['1', true],
    ['FALSE', false],
    ['f', false],
    ['0', false],
    ['', undefined],
    [undefined, undefined],
  ])('parses %j as %j', (text, value) => {
    expect(configBoolean(text === undefined ? {} : { k: text }, 'k')).toBe(value);
  });

  it.each(['yes', 'tRUE', ' true', 'on', 'true\n'])('rejects %j', (text) => {
    expect(() => configBoolean({ insecureSkipTLSVerify: text }, 'insecureSkipTLSVerify')).toThrow(
      `config.insecureSkipTLSVerify ${JSON.stringify(text)} is not a boolean`,
    );
  });
});
