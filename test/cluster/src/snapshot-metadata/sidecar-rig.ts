import { createPrivateKey, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, issue } from '@lateen/certificates';
import { requestToken } from '@lateen/changed-blocks';
import { ensureParts, silentProgress, startApiServer } from '@lateen/cluster';
import type { DriverProcess, Scratch } from '@lateen/csi-rig';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import type { KubeApi, ObjectKey } from '@lateen/kube';
import { kubeClient, loadKubeConfig } from '@lateen/kube-client';
import { execa } from 'execa';
import { openSidecarNetwork, type SidecarNetwork } from './sidecar-network.ts';
import { audience, prepareObjects, tellService } from './sidecar-objects.ts';

export interface SidecarRig extends AsyncDisposable {
  readonly kube: KubeApi;
  readonly driver: string;
  /** URL of the API server. */
  readonly api: { readonly port: number; readonly authority: string };
  readonly network: SidecarNetwork;
  /** The authority of the sidecar's certificate, which is for localhost, and another authority. */
  readonly authority: string;
  readonly otherAuthority: string;
  /** A token for the sidecar's audience, signed by this API server, that expired an hour ago. */
  expiredToken(account: ObjectKey): Promise<string>;
  /** Kills the sidecar with SIGKILL, and starts another one. */
  restartSidecar(): Promise<void>;
  log(): Promise<string>;
}

/** The real sidecar on a driver's socket, with a real API server that reviews tokens. Needs root. */
export async function startSidecarRig({ directory }: Scratch, driver: DriverProcess): Promise<SidecarRig> {
  await using stack = new AsyncDisposableStack();
  const { name } = await driver.identity.getPluginInfo({}, { signal: new AbortController().signal });
  const apiDir = join(directory, 'api');
  const server = await startApiServer({ dir: apiDir });
  stack.defer(() => server.stop());
  const config = await loadKubeConfig({ path: server.kubeconfig, env: {} });
  const kube = kubeClient({ config, clock: systemClock, random: systemRandom, log: silentLogger });
  stack.defer(() => kube.close());
  await prepareObjects(kube, name);
  const network = stack.use(await openSidecarNetwork(directory, Number(new URL(server.url).port)));
  const now = systemClock.now();
  const [authority, other] = await Promise.all([createAuthority('test', now), createAuthority('other', now)]);
  const pair = await issue(authority, { subject: 'CN=sidecar', dnsNames: ['localhost'] }, now);
  const files = { cert: join(directory, 'sidecar.crt'), key: join(directory, 'sidecar.key') };
  await Promise.all([writeFile(files.cert, pair.certificate), writeFile(files.key, pair.key)]);
  await tellService(kube, name, { address: `localhost:${network.port}`, authority: authority.certificate });
  const part = 'csi-snapshot-metadata';
  const program = await network.inside((await ensureParts([part], silentProgress))[part] ?? part);
  const logFile = join(directory, 'sidecar.log');
  const output = { file: logFile, append: true } as const;
  const begin = () => {
    const child = execa(
      program,
      [
        `--csi-address=${driver.endpoint.replace('unix://', '')}`,
        `--kubeconfig=${server.kubeconfig}`,
        `--port=${network.innerPort}`,
        `--tls-cert=${files.cert}`,
        `--tls-key=${files.key}`,
      ],
      { reject: false, stdin: 'ignore', stdout: output, stderr: output },
    );
    return async () => {
      child.kill('SIGKILL');
      await child;
    };
  };
  let kill = begin();
  stack.defer(() => kill());
  const all = stack.move();
  return {
    kube,
    driver: name,
    api: { port: Number(new URL(server.url).port), authority: await readFile(join(apiDir, 'pki', 'ca.crt'), 'utf8') },
    network,
    authority: authority.certificate,
    otherAuthority: other.certificate,
    expiredToken: (account) => expiredToken(kube, account, join(apiDir, 'pki', 'service-account.key')),
    restartSidecar: async () => {
      await kill();
      kill = begin();
    },
    log: () => readFile(logFile, 'utf8'),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Times of a token are in seconds. */
const twoHoursS = 7_200;

/** A token of the API server with its times two hours earlier, signed with the server's key. */
async function expiredToken(kube: KubeApi, account: ObjectKey, keyFile: string): Promise<string> {
  const token = await requestToken(kube, account, audience, new AbortController().signal);
  const [header = '', claims = ''] = token.split('.');
  const decoded = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, number>;
  for (const time of ['iat', 'nbf', 'exp']) decoded[time] = (decoded[time] ?? 0) - twoHoursS;
  const signed = `${header}.${Buffer.from(JSON.stringify(decoded)).toString('base64url')}`;
  const key = createPrivateKey(await readFile(keyFile));
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
