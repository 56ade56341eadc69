import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Secret, secretType } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import { execa } from 'execa';
import type { LateenUnderTest } from '../environment/provided-lateen.ts';
import type { LeakSearch } from './leak-search.ts';
import type { S3Account } from './s3-accounts.ts';

const cliMain = join(import.meta.dirname, '..', '..', '..', '..', 'apps', 'cli', 'src', 'main.ts');

export interface CommandEnd {
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

export interface OwnInstallationOptions {
  lateen: LateenUnderTest;
  namespace: string;
  search: LeakSearch;
  /** Where the commands run, and below which files for them are written. */
  directory: string;
}

/** An installation that is used by the command line, as users do; what it prints is searched. */
export class OwnInstallation {
  readonly #options: OwnInstallationOptions;

  constructor(options: OwnInstallationOptions) {
    this.#options = options;
  }

  /** Runs the command to its end, whatever that is. */
  async cli(...words: readonly string[]): Promise<CommandEnd> {
    const { exitCode, stdout, stderr } = await this.unsearched(...words);
    this.#options.search.text('output', `of lateen ${words.slice(0, 3).join(' ')}`, `${stdout}\n${stderr}`);
    return { exitCode, stdout, stderr };
  }

  /** For what is asked to print a Secret. */
  async unsearched(...words: readonly string[]): Promise<CommandEnd> {
    const { lateen, namespace, directory } = this.#options;
    const cwd = join(directory, 'work');
    await mkdir(cwd, { recursive: true });
    const flags = ['--kubeconfig', lateen.kubeconfig, '-n', namespace];
    const { exitCode, stdout, stderr } = await execa(process.execPath, [cliMain, ...flags, ...words], {
      reject: false,
      stdin: 'ignore',
      cwd,
    });
    return { exitCode, stdout, stderr };
  }

  /** A file that a user would give to a command. */
  async file(name: string, content: string): Promise<string> {
    const path = join(this.#options.directory, 'given', name);
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
    await writeFile(path, content, { mode: 0o600 });
    return path;
  }

  /** Makes the Secret or gives it this content. */
  async secret(name: string, values: Readonly<Record<string, string>>): Promise<void> {
    const { lateen, namespace } = this.#options;
    await writeSecret(lateen.kube, { namespace, name }, values);
  }
}

async function writeSecret(
  kube: KubeApi,
  key: { namespace: string; name: string },
  values: Readonly<Record<string, string>>,
): Promise<void> {
  const encoded = Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]);
  const body: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: key, data: Object.fromEntries(encoded) };
  await kube.patch(secretType, key, { type: 'apply', body, force: true }, { fieldManager: 'user' });
}

/** As a shared-credentials file of AWS. */
export const awsFile = ({ accessKeyId, secretAccessKey }: S3Account, sessionToken?: string): string =>
  [
    '[default]',
    `aws_access_key_id=${accessKeyId}`,
    `aws_secret_access_key=${secretAccessKey}`,
    ...(sessionToken === undefined ? [] : [`aws_session_token=${sessionToken}`]),
    '',
  ].join('\n');
