import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ClusterInfo } from '@lateen/cluster';
import { AppError } from '@lateen/errors';
import { imageDigestAnnotation, usualImage, usualStorageImage } from '@lateen/manifests';

export interface CliInstallOptions {
  namespace: string;
  imageDigest: string;
  /** Also installs volumes with replicas on several nodes. */
  replicated: boolean;
  /** Called with each line that the command prints. */
  onLine: (line: string) => void;
  signal: AbortSignal;
}

const cli = join(import.meta.dirname, '..', '..', '..', 'apps', 'cli', 'src', 'main.ts');

/** The error is at the end of the output, after few warnings. */
const linesKeptMax = 20;

/**
 * Installs as a user does, with `lateen install --wait`: definitions, permissions, controller, node-agent and the default location on the
 * cluster's S3. May be repeated. On abort everything that exists stays.
 * @throws AppError INSTALL_FAILED with the error of the command
 */
export async function installWithCli({ kubeconfig, s3 }: ClusterInfo, options: CliInstallOptions): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'lateen-installation-'));
  try {
    const secretFile = join(dir, 'credentials');
    const keys = `[default]\naws_access_key_id=${s3.accessKey}\naws_secret_access_key=${s3.secretKey}\n`;
    await writeFile(secretFile, keys, { mode: 0o600 });
    await run(
      [
        ...['--kubeconfig', kubeconfig, '--namespace', options.namespace, 'install', '--wait'],
        ...['--provider', 'aws', '--bucket', s3.bucket, '--secret-file', secretFile],
        ...['--backup-location-config', `region=${s3.region},s3Url=${s3.endpointForPods},s3ForcePathStyle=true`],
        // Restarts the pods when another image has the same tag.
        ...['--image', usualImage, '--pod-annotations', `${imageDigestAnnotation}=${options.imageDigest}`],
        ...(options.replicated ? ['--volume-manager', 'replicated', '--volume-manager-image', usualStorageImage] : []),
      ],
      options,
    );
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function run(words: readonly string[], { onLine, signal }: CliInstallOptions): Promise<void> {
  const child = spawn(process.execPath, [cli, ...words], { stdio: ['ignore', 'pipe', 'pipe'], signal });
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', onLine);
  createInterface({ input: child.stderr }).on('line', (line) => {
    said.push(line);
    if (said.length > linesKeptMax) said.shift();
    onLine(line);
  });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0)
    throw new AppError('INSTALL_FAILED', `lateen install ended with exit code ${exitCode}: ${said.join('\n')}`);
}
