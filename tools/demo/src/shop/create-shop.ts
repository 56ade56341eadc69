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
  await apply(kubectl, ['shop', 'claim'], options);
  await startDatabase(kubectl, options);
  await shell.run(['createdb', 'shop']);
  await shell.run(['pgbench', '--initialize', '--quiet', `--scale=${options.scale}`, 'shop']);
}

/** The database alone; its claim is there already, or comes later. Resolves when it answers. */
export async function startDatabase(kubectl: Kubectl, options: ShopOptions): Promise<void> {
  await apply(kubectl, ['database'], options);
  await kubectl(['rollout', 'status', 'statefulset/database', rolloutTimeout]);
}

/** What the database's pod needs besides its claim, for one that comes from a backup of the volume alone. */
export async function createSettings(kubectl: Kubectl, options: ShopOptions): Promise<void> {
  await apply(kubectl, ['shop'], options);
}

/** Customers begin to buy, and do not stop. */
export async function startCustomers(kubectl: Kubectl, options: ShopOptions): Promise<void> {
  await apply(kubectl, ['customers'], options);
  await kubectl(['rollout', 'status', 'deployment/customers', rolloutTimeout]);
}

/** What lies in no namespace; the rest goes with the shop's. */
export async function deleteDefinition(kubectl: Kubectl): Promise<void> {
  await kubectl(['delete', '--ignore-not-found', 'crd/offers.shop.lateen.dev']);
}

async function apply(kubectl: Kubectl, names: readonly string[], options: ShopOptions): Promise<void> {
  const text = names.map(manifest).join('---\n');
  const filled = text
    .replaceAll('POSTGRES_IMAGE', options.databaseImage)
    .replaceAll('STORAGE_CLASS', options.storageClass)
    .replaceAll('DATABASE_SIZE', options.databaseVolumeSize)
    .replaceAll('PASSWORD', options.password);
  await kubectl(['apply', '-f', '-'], filled);
}
