/** One program of the image: an app of this workspace as one file. */
export interface ImageApp {
  /** The folder under apps/. */
  name: string;
  /** What it is called on PATH inside the image. */
  entryPoint: string;
  /** Programs of its worker threads, and what it loads in need: `src/<name>.ts` of the app, as files beside its own. No two apps share a name. */
  workers?: readonly ImageWorker[];
  /** The bundle may not be bigger than this. Start-up time and memory grow with what is loaded. */
  bytesMax: number;
  /** For the Node that runs it; one, because the kernel hands over one argument from the first line of a file. */
  nodeFlag?: string;
  /** The objects of deploy/ and the commit are inside, as the global constants LATEEN_MANIFESTS and LATEEN_COMMIT. */
  forPeople?: boolean;
  /** Packages that must not be in the bundle. */
  forbidden: readonly string[];
  /** Which image it is in; absent: Lateen's own. */
  image?: 'storage';
}

/** Lateen's own, and that of the pods in which replicas run. */
export const imageNames = ['lateen', 'storage'] as const;
export type ImageName = (typeof imageNames)[number];

export interface ImageWorker {
  name: string;
  bytesMax: number;
  /** Packages that must not be in it; absent, those of the app. */
  forbidden?: readonly string[];
}

const MiB = 1024 * 1024;

/**
 * The mover starts once per volume, so it is kept lean: 61 MB and 85-100 ms were measured with node:https and pino,
 * and 78 MB and twice the time with client-node. zod is 60 ms and 16 MB by itself.
 */
const tooHeavyForTheMover = [
  'undici',
  '@kubernetes/client-node',
  'zod',
  'fastify',
  'prom-client',
  'commander',
  'execa',
  'winston-transport',
] as const;

/**
 * Room for code, not for a framework: the limits are a sixth to three times above what is measured today (mover 370 KiB
 * with two engines, attributes and block volumes, controller 5.2 MiB of which client-node is 2).
 */
export const imageApps: readonly ImageApp[] = [
  {
    name: 'controller',
    entryPoint: 'lateen-controller',
    bytesMax: 8 * MiB,
    forbidden: [],
    // Engines run beside it within one memory limit: less than half of what it takes without (bench, group `locations`).
    nodeFlag: '--optimize-for-size',
  },
  {
    name: 'node-agent',
    entryPoint: 'lateen-node-agent',
    bytesMax: 8 * MiB,
    forbidden: [],
    // It runs on every node: without this V8 lets the heap grow to a multiple of what is alive (bench, group `queue`).
    nodeFlag: '--optimize-for-size',
  },
  {
    name: 'data-mover',
    entryPoint: 'data-mover',
    // What writes volumes does without the compiler that is suspected to have miscompiled it (`later` in libs/pack-reader).
    nodeFlag: '--no-maglev',
    bytesMax: (MiB * 7) / 16,
    forbidden: tooHeavyForTheMover,
    workers: [
      { name: 'restore-worker', bytesMax: MiB / 2 },
      // Loaded by restores alone, with the clients of object stores.
      { name: 'direct-restore', bytesMax: 6 * MiB, forbidden: [] },
      // Loaded by long uploads, with gRPC.
      { name: 'repository-session', bytesMax: 2 * MiB, forbidden: [] },
    ],
  },
  // Its Jobs run beside the engine, within one memory limit.
  {
    name: 'repo-maintenance',
    entryPoint: 'repo-maintenance',
    bytesMax: (MiB * 3) / 8,
    forbidden: tooHeavyForTheMover,
    workers: [
      { name: 'check-worker', bytesMax: MiB / 2 },
      // Loaded by checks that read data, with the clients of object stores.
      { name: 'read-stored-data', bytesMax: 6 * MiB, forbidden: [] },
    ],
  },
  { name: 'cli', entryPoint: 'lateen', bytesMax: 8 * MiB, forPeople: true, forbidden: [] },
  // One serves a node and one runs per attached volume.
  {
    name: 'instance-manager',
    entryPoint: 'lateen-instance-manager',
    // With the addon that packs blocks of backups, which is loaded only where that is done.
    bytesMax: 5 * MiB,
    forbidden: ['@kubernetes/client-node', 'zod', 'commander'],
    image: 'storage',
  },
  {
    name: 'volume-manager',
    entryPoint: 'lateen-volume-manager',
    bytesMax: 8 * MiB,
    forbidden: [],
    // It runs on every node, too (bench, group `storage-manager-memory`).
    nodeFlag: '--optimize-for-size',
  },
];
