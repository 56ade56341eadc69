import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '@lateen/cluster';
import { execa } from 'execa';
import { type Emulator, startEmulator } from './emulator.ts';

/** Not a dependency of the workspace: its 300 packages would make it the largest of all. */
const azuriteVersion = '3.35.0';

export const azureAccount = {
  name: 'lateenacct',
  key: Buffer.from('account key of the Azure emulator, 64 bytes long for HMAC-SHA256').toString('base64'),
};

/** Azurite with one account, built for `<account>.<any domain>`. */
export async function startAzurite(dnsNames: readonly string[]): Promise<Emulator> {
  const program = await ensureAzurite();
  return startEmulator({
    dnsNames,
    command: ({ directory, port, certificate, key }) => ({
      file: process.execPath,
      args: [
        program,
        '--blobHost=127.0.0.1',
        `--blobPort=${port}`,
        `--location=${join(directory, 'data')}`,
        `--cert=${certificate}`,
        `--key=${key}`,
        '--oauth=basic',
        '--skipApiVersionCheck',
        '--disableTelemetry',
        '--silent',
      ],
      env: { AZURITE_ACCOUNTS: `${azureAccount.name}:${azureAccount.key}` },
    }),
  });
}

/** The path of its main file; installed on the first call, into the cache of the cluster's parts. */
async function ensureAzurite(): Promise<string> {
  const folder = join(cacheDir(process.env), 'npm', `azurite-${azuriteVersion}`);
  const program = join(folder, 'node_modules', 'azurite', 'dist', 'src', 'blob', 'main.js');
  const found = await access(program).then(
    () => true,
    () => false,
  );
  if (found) return program;
  await mkdir(folder, { recursive: true });
  const flags = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--omit=dev', `--prefix=${folder}`];
  await execa('npm', ['install', ...flags, `azurite@${azuriteVersion}`], { preferLocal: false });
  return program;
}
