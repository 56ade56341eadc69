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
  /** Working directory of the commands; their input files are below it. */
  directory: string;
}

/** An installation that is used through the command line, as users do; all output is searched. */
export class OwnInstallation {
  readonly #options: OwnInstallationOptions;

  constructor(options: OwnInstallationOptions) {
    this.#options = options;
  }

  /** Runs the command to its end, whether it succeeds or not. */
  async cli(...words: readonly string[]): Promise<CommandEnd> {
    const { exitCode, stdout, stderr } = await this.unsearched(...words);
    this.#options.search.text('output', `of lateen ${words.slice(0, 3).join(' ')}`, `${stdout}\n${stderr}`);
    return { exitCode, stdout, stderr };
  }

  /** For commands that are meant to print a Secret. */
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

  /** Writes a file as a user would give it to a command. */
  async file(name: string, content: string): Promise<string> {
    const path = join(this.#options.directory, 'given', name);
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
    await writeFile(path, content, { mode: 0o600 });
    return path;
  }

  /** Creates the Secret, or replaces its content. */
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

/** In the format of a shared-credentials file of AWS. */
export const awsFile = ({ accessKeyId, secretAccessKey }: S3Account, sessionToken?: string): string =>
  [
    '[default]',
    `aws_access_key_id=${accessKeyId}`,
    `aws_secret_access_key=${secretAccessKey}`,
    ...(sessionToken === undefined ? [] : [`aws_session_token=${sessionToken}`]),
    '',
  ].join('\n');
