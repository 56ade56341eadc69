import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientConfigPath, readClientConfig, withClientConfig } from './client-config.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lateen-home-'));
  mkdirSync(dirname(join(home, clientConfigPath)), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true }));

describe('the client configuration', () => {
  it.each([
    ['{"namespace":"backup","features":"EnableCSI"}', { namespace: 'backup' }],
    ['{"namespace":"","cacert":"/ca.pem"}', { cacert: '/ca.pem' }],
    ['{"colorized":"false"}', { colorized: false }],
    ['{"colorized":true}', { colorized: true }],
    ['{}', {}],
    ['null', {}],
  ])('%s', async (text, expected) => {
    writeFileSync(join(home, clientConfigPath), text);
    expect(await readClientConfig(home)).toEqual(expected);
  });

  it.each(['{', '[]', '{"namespace":5}', '{"cacert":["/ca.pem"]}', '{"colorized":"blue"}'])(
    'is rejected, with its path, when it is %s',
    async (text) => {
      writeFileSync(join(home, clientConfigPath), text);
      await expect(readClientConfig(home)).rejects.toThrow(`${join(home, clientConfigPath)} cannot be read`);
    },
  );

  it('may be missing, and so may the home directory', async () => {
    expect(await readClientConfig(home)).toEqual({});
    expect(await readClientConfig(undefined)).toEqual({});
    expect(await readClientConfig('/dev/null')).toEqual({});
  });

  it('takes precedence over the environment', () => {
    const env = { VELERO_NAMESPACE: 'a', HOME: '/h' };
    expect(withClientConfig(env, {})).toEqual(env);
    expect(withClientConfig(env, { namespace: 'b', cacert: '/ca.pem' })).toEqual({
      VELERO_NAMESPACE: 'b',
      LATEEN_CACERT: '/ca.pem',
      HOME: '/h',
    });
    expect(withClientConfig(env, { colorized: false })).toEqual({ ...env, NO_COLOR: '1' });
    expect(withClientConfig(env, { colorized: true })).toEqual(env);
  });
});
