import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClusterInfo, ensureParts, silentProgress } from '@lateen/cluster';
import { systemClock, systemRandom } from '@lateen/kernel';
import { execa } from 'execa';

export interface S3Account {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface S3WithAccounts extends AsyncDisposable {
  /** The same URL works for pods and for the host. */
  url: string;
}

export interface S3WithAccountsOptions {
  cluster: ClusterInfo;
  accounts: readonly S3Account[];
  buckets: readonly string[];
  /** Directory of the buckets. */
  dataDirectory: string;
  /** Directory of the server's list of accounts, secrets included. */
  accountsDirectory: string;
}

const firstPort = 20_000;
const answerMsMax = 20_000;

/**
 * A second S3 server of the cluster, on the network of its control plane, on which every account has all permissions. The cluster's own
 * server has only one account, whose keys cannot be rotated.
 */
export async function startS3WithAccounts(options: S3WithAccountsOptions): Promise<S3WithAccounts> {
  const { cluster, dataDirectory, accountsDirectory, accounts } = options;
  const { versitygw = '' } = await ensureParts(['versitygw'], silentProgress);
  for (const bucket of options.buckets) await mkdir(join(dataDirectory, bucket), { recursive: true });
  await mkdir(accountsDirectory, { recursive: true, mode: 0o700 });
  const known = accounts.map(({ accessKeyId, secretAccessKey }, at) => {
    const account = {
      access: accessKeyId,
      secret: secretAccessKey,
      role: 'admin',
      userID: at,
      groupID: at,
      projectID: 0,
    };
    return [accessKeyId, account];
  });
  const users = JSON.stringify({ accessAccounts: Object.fromEntries(known) });
  await writeFile(join(accountsDirectory, 'users.json'), users, { mode: 0o600 });

  const url = new URL(cluster.s3.endpointForPods);
  url.port = String(firstPort + Math.floor(systemRandom.next() * firstPort));
  const network = `--net=/run/netns/lateen-${cluster.id}-control-plane`;
  const flags = [`--port=:${url.port}`, `--region=${cluster.s3.region}`, `--iam-dir=${accountsDirectory}`, '--quiet'];
  // nsenter replaces itself by the server, so there is one process to end.
  const server = execa('nsenter', [network, '--', versitygw, ...flags, 'posix', dataDirectory], {
    env: { ROOT_ACCESS_KEY: 'ROOTOFTHESECRETS', ROOT_SECRET_KEY: systemRandom.uuid() },
    stdio: 'ignore',
    reject: false,
  });
  await answers(url);
  return {
    url: url.origin,
    [Symbol.asyncDispose]: async () => {
      server.kill();
      await server;
    },
  };
}

async function answers(url: URL): Promise<void> {
  const signal = systemClock.deadline(answerMsMax);
  const ask = () => fetch(url, { signal }).then(Boolean, () => false);
  while (!(await ask())) await systemClock.sleep(100, signal);
}
