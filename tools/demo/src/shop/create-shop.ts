import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PodShell } from '../pod-shell.ts';
import type { Kubectl } from './kubectl.ts';

/** The pod of the StatefulSet in database.yaml, and its claim. */
export const databasePod = 'database-0';
export const databaseClaim = 'database';

export interface ShopOptions {
  /** Of PostgreSQL, with psql, pgbench and fsfreeze; `localhost/lateen-demo-postgres:dev`, or the project's own. */
  databaseImage: string;
  storageClass: string;
  databaseVolumeSize: string;
  password: string;
  /** Of pgbench: one stands for 100,000 accounts and 15 MB. */
  scale: number;
}

/** A pod of a machine that has to load the image first takes a while. */
const rolloutTimeout = '--timeout=180s';

const manifest = (name: string): string => readFileSync(join(import.meta.dirname, `${name}.yaml`), 'utf8');

/** Everything that a shop has but customers, in the namespace of `kubectl`: it runs when this resolves, its tables filled. */
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

/** Customers begin to buy, and do not stop. */
export async function startCustomers(kubectl: Kubectl, options: ShopOptions): Promise<void> {
  await apply(kubectl, ['customers'], options);
  await kubectl(['rollout', 'status', 'deployment/customers', rolloutTimeout]);
}

/** They go home: when this resolves nothing changes in the database any more. A pod that is gone may still have a last word. */
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

/** What lies in no namespace; the rest goes with the shop's. */
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
