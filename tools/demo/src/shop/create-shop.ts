import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PodShell } from '../pod-shell.ts';
import type { Kubectl } from './kubectl.ts';

/** The pod of the StatefulSet in database.yaml, and its claim. */
export const databasePod = 'database-0';
export const databaseClaim = 'database';

export interface ShopOptions {
  /** An image of PostgreSQL with psql, pgbench and fsfreeze; `localhost/lateen-demo-postgres:dev`, or that of the PostgreSQL project. */
  databaseImage: string;
  storageClass: string;
  databaseVolumeSize: string;
  password: string;
  /** Scale factor of pgbench: 1 means 100,000 accounts and 15 MB. */
  scale: number;
}

/** A pod takes a while on a machine that has to load the image first. */
const rolloutTimeout = '--timeout=180s';

const manifest = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.yaml`), 'utf8');

/** Creates a shop without customers in the namespace of `kubectl`; when it resolves, the shop runs and its tables are filled. */
export async function createShop(kubectl: Kubectl, shell: PodShell, options: ShopOptions): Promise<void> {
  await apply(kubectl, ['definition'], options);
  await kubectl(['wait', '--for=condition=Established', 'crd/offers.shop.lateen.dev', rolloutTimeout]);
  await apply(kubectl, ['shop', 'claim', 'database'], options);
  await waitForDatabase(kubectl);
  await shell.run(['createdb', 'shop']);
  await shell.run(['pgbench', '--initialize', '--quiet', `--scale=${options.scale}`, 'shop']);
}

/** Resolves when the database answers. */
export async function waitForDatabase(kubectl: Kubectl): Promise<void> {
  await kubectl(['rollout', 'status', 'statefulset/database', rolloutTimeout]);
}

/** Starts the customers, who buy until they are stopped. */
export async function startCustomers(kubectl: Kubectl, options: ShopOptions): Promise<void> {
  await apply(kubectl, ['customers'], options);
  await kubectl(['rollout', 'status', 'deployment/customers', rolloutTimeout]);
}

/** Stops the customers: when it resolves, nothing changes in the database any more. A deleted pod may still be writing for a moment. */
export async function sendCustomersHome(kubectl: Kubectl, database: PodShell): Promise<void> {
  await kubectl(['scale', 'deployment/customers', '--replicas=0']);
  await kubectl(['wait', '--for=delete', 'pod', '--selector=app=customers', rolloutTimeout]);
  const guests = "select count(*) from pg_stat_activity where application_name = 'pgbench'";
  await database.run([
    'sh',
    '-c',
    `until [ "$(psql --dbname=shop --tuples-only --no-align --command="${guests}")" = 0 ]; do sleep 0.2; done`,
  ]);
}

/** Deletes cluster-scoped objects; the others are deleted with the shop's namespace. */
export async function deleteDefinition(kubectl: Kubectl): Promise<void> {
  await kubectl(['delete', '--ignore-not-found', 'crd/offers.shop.lateen.dev']);
}

async function apply(kubectl: Kubectl, names: readonly string[], options: ShopOptions): Promise<void> {
  const text = names.map(manifest).join('---\n');
  const filled = text
    .replaceAll('DEMO_POSTGRES_IMAGE', options.databaseImage)
    .replaceAll('DEMO_STORAGE_CLASS', options.storageClass)
    .replaceAll('DEMO_DATABASE_SIZE', options.databaseVolumeSize)
    .replaceAll('DEMO_PASSWORD', options.password);
  await kubectl(['apply', '-f', '-'], filled);
}
