import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { s3Store } from '@lateen/object-store-s3';
import { resolveLocation, type S3Location } from '@lateen/storage-location';
import { aBackupStorageLocation } from '@lateen/testing';
import { execa } from 'execa';
import { compileCache } from '../environment/compile-cache.ts';
import { providerRig, repositoryPassword } from '../providers/provider-rig.ts';
import { s3Keys, startS3Server } from '../repository/s3-server.ts';
import { openRoleNetwork } from './role-network.ts';
import { agentUrl, region, role, type StandIns, startStandIns } from './stand-ins.ts';

/** The source of a movement's keys: a profile in the Secret, or what the platform adds to the pod. */
export interface RoleSource {
  secret?: string;
  pod?: Readonly<Record<string, string>>;
}

export type RoleRig = Awaited<ReturnType<typeof startRoleRig>>;
export type SourceName = keyof RoleRig['sources'];

/** Only root may create networks. */
export const takesRoles = process.getuid?.() === 0;

/** Real engines on a real S3 server, with simulated identity services of AWS. Needs root. */
export async function startRoleRig() {
  const stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'lateen-roles-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  try {
    // Host names of S3 have the form `<bucket>.<domain>`.
    const server = stack.use(await startS3Server({ VGW_VIRTUAL_DOMAIN: 's3' }));
    await server.makeBucket('backups');
    const aws = stack.use(await startStandIns(directory, 'backups', server.endpoint));
    const network = stack.use(await openRoleNetwork(directory, aws.links));
    const written = async (name: string, content: string) => {
      await writeFile(join(directory, name), content);
      return join(directory, name);
    };
    const tokenFile = await written('token', role.webIdentityToken);
    const caFile = await written('ca.pem', aws.caPem);
    const sources = sourcesOf(tokenFile, await written('pod-token', role.podToken));
    let prefixes = 0;
    const nextPrefix = () => `p${++prefixes}`;
    return {
      aws,
      sources,
      /** Both engines, run inside the network. */
      engines: async ({ secret, pod }: RoleSource) => {
        const before = aws.issued.length;
        const rig = await providerRig({
          directory,
          location: locationOf(nextPrefix(), secret),
          // The test itself is outside of the network, and reaches the server behind the guard.
          openStore: ({ prefix }) => s3Store(server.location({ prefix })),
          environment: { SSL_CERT_FILE: caFile, ...pod },
          program: network.inside,
        });
        const said = () => JSON.stringify([rig.seen.map(({ args }) => args), rig.log]);
        return { ...rig, issued: () => aws.issued.slice(before), disclosed: () => secretsIn(said(), aws) };
      },
      /** What our own store, inside the network, has listed and read of the object that it wrote. */
      ownStore: async ({ secret, pod }: RoleSource): Promise<unknown> => {
        const node = await network.inside(process.execPath);
        const { stdout } = await execa(node, [join(import.meta.dirname, 'own-store.ts')], {
          input: JSON.stringify(locationOf(nextPrefix(), secret)),
          env: { PATH: process.env.PATH ?? '', ...compileCache(), NODE_EXTRA_CA_CERTS: caFile, ...pod },
          extendEnv: false,
          preferLocal: false,
        });
        return JSON.parse(stdout);
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** The location of a user of AWS: no s3Url, no path style. */
function locationOf(prefix: string, credentials: string | undefined): S3Location {
  const spec = { provider: 'velero.io/aws', objectStorage: { bucket: 'backups', prefix }, config: { region } };
  const secrets = { credentials, credentialsFrom: 'Secret velero/cloud-credentials key cloud' };
  return resolveLocation(aBackupStorageLocation({ spec }), secrets) as S3Location;
}

function sourcesOf(tokenFile: string, podTokenFile: string) {
  const webIdentity = {
    AWS_ROLE_ARN: role.arn,
    AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
    AWS_ROLE_SESSION_NAME: role.sessionName,
    AWS_REGION: region,
  };
  const podIdentity = {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: agentUrl,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: podTokenFile,
  };
  const roleProfile = { role_arn: role.arn, web_identity_token_file: tokenFile, role_session_name: role.sessionName };
  const keyProfile = { aws_access_key_id: s3Keys.accessKeyId, aws_secret_access_key: s3Keys.secretAccessKey };
  return {
    roleInSecret: { secret: profile(roleProfile) },
    serviceAccount: { pod: webIdentity },
    podIdentity: { pod: podIdentity },
    node: {},
    keysInSecret: { secret: profile(keyProfile), pod: { ...webIdentity, ...podIdentity } },
    roleOfOthers: { pod: { ...webIdentity, AWS_ROLE_ARN: `${role.arn}-of-others` } },
  } satisfies Record<string, RoleSource>;
}

const profile = (lines: Readonly<Record<string, string>>) =>
  ['[default]', ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`), ''].join('\n');

/** The secrets that occur in a text; there must be none. */
function secretsIn(text: string, { issued }: StandIns): string[] {
  const temporary = issued.flatMap(({ keys }) => [keys.SecretAccessKey, keys.Token]);
  const own = [s3Keys.secretAccessKey, role.webIdentityToken, role.podToken, repositoryPassword];
  return [...own, ...temporary].filter((secret) => text.includes(secret));
}
