import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clientConfigPath } from '../client-config.ts';
import { runForTests } from '../run-for-tests.ts';

let home = '';
let path = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lateen-home-'));
  path = join(home, clientConfigPath);
});
afterEach(() => rmSync(home, { recursive: true }));

async function run(words: string, env: Record<string, string> = { HOME: home }) {
  const clock = new FakeClock();
  const kube = fakeCluster({ clock, objects: [] });
  return await runForTests({ clock, random: seededRandom(), kube }, ['client', 'config', ...words.split(' ')], { env });
}

function withFile(text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

it('sets, shows and removes settings in a file that only its owner can read', async () => {
  expect(await run('set namespace=backup cacert=/a=b.pem colorized=false')).toMatchObject({ code: 0, stdout: '' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await run('get')).stdout).toBe('cacert: /a=b.pem\ncolorized: false\nnamespace: backup\n');
  expect((await run('get features namespace')).stdout).toBe('features: <NOT SET>\nnamespace: backup\n');
  expect((await run('set namespace= features=EnableCSI')).code).toBe(0);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    cacert: '/a=b.pem',
    colorized: 'false',
    features: 'EnableCSI',
  });
});

it('keeps settings of other programs in the file, and removes permissions of others', async () => {
  withFile('{"other":{"a":1},"namespace":"a"}');
  chmodSync(path, 0o644);
  expect((await run('set namespace=b')).code).toBe(0);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ other: { a: 1 }, namespace: 'b' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await run('get other')).stdout).toBe('other: {"a":1}\n');
});

it('prints nothing when nothing is set', async () => {
  expect(await run('get')).toMatchObject({ code: 0, stdout: '', connected: false });
});

const keys = 'Write KEY=VALUE; the keys are namespace, features, cacert, colorized.';

it.each([
  ['namespace', `"namespace" is not of the form KEY=VALUE. ${keys}`],
  ['=b', `"=b" is not of the form KEY=VALUE. ${keys}`],
  ['namespaces=b', `there is no setting "namespaces". ${keys}`],
  ['colorized=blue', 'colorized "blue" is not true or false. Write true or false.'],
])('rejects %s and changes nothing, including the other settings of the command line', async (pair, message) => {
  withFile('{"namespace":"a"}');
  expect(await run(`set features=x ${pair}`)).toMatchObject({ code: 1, stderr: `An error occurred: ${message}\n` });
  expect(readFileSync(path, 'utf8')).toBe('{"namespace":"a"}');
});

it('rejects a file that it cannot parse, and does not change it', async () => {
  withFile('{');
  expect((await run('set namespace=b')).stderr).toContain(`${path} cannot be read`);
  expect(readFileSync(path, 'utf8')).toBe('{');
});

it('reports that there is no home directory', async () => {
  expect(await run('get', {})).toMatchObject({
    code: 1,
    stderr:
      'An error occurred: the path of the client configuration is not known: HOME is not set. Set HOME to your home directory.\n',
  });
});
