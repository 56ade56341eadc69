/** One program of the image: an app of this workspace as one file. */
export interface ImageApp {
  /** The folder under apps/. */
  name: string;
  /** Name of the command inside the image. */
  entryPoint: string;
  /**
   * Programs of its worker threads, and modules that it loads only when needed: `src/<name>.ts` of the app, as files beside its own. Names
   * are unique over all apps.
   */
  workers?: readonly ImageWorker[];
  /** Maximum size of the bundle. Start-up time and memory grow with the loaded code. */
  bytesMax: number;
  /** An option for the Node that runs it; only one, because the kernel passes only one argument of the first line of a file. */
  nodeFlag?: string;
  /** Includes the objects of deploy/ and the commit, as the global constants LATEEN_MANIFESTS and LATEEN_COMMIT. */
  forPeople?: boolean;
  /** Packages that must not be in the bundle. */
  forbidden: readonly string[];
  /** The image of the app; absent: Lateen's own. */
  image?: 'storage';
}

/** Lateen's own image, and that of the pods in which replicas run. */
export const imageNames = ['lateen', 'storage'] as const;
export type ImageName = (typeof imageNames)[number];

export interface ImageWorker {
  name: string;
  bytesMax: number;
  /** Packages that must not be in it; absent: those of the app. */
  forbidden?: readonly string[];
}

const MiB = 1024 * 1024;

/**
 * The mover starts once per volume, so its bundle is kept small: with node:https and pino it starts with 61 MB in 85-100 ms; with
 * client-node it needed 78 MB and twice the time. zod alone is 60 ms and 16 MB.
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
 * Limits leave room for code, but not for a framework: they are between a seventh and three times above today's sizes (mover 450 KiB with two
 * engines, changed blocks, attributes and block volumes, controller 5.2 MiB of which client-node is 2).
 */
export const imageApps: readonly ImageApp[] = [
  {
    name: 'controller',
    entryPoint: 'lateen-controller',
    bytesMax: 8 * MiB,
    forbidden: [],
    // Engines run beside it within one memory limit: it needs less than half of what it takes without this option (bench, group
    // `locations`).
    nodeFlag: '--optimize-for-size',
  },
  {
    name: 'node-agent',
    entryPoint: 'lateen-node-agent',
    bytesMax: 8 * MiB,
    forbidden: [],
    // It runs on every node. Without this option V8 lets the heap grow to several times the size of live objects (bench, group `queue`).
    nodeFlag: '--optimize-for-size',
  },
  {
    name: 'data-mover',
    entryPoint: 'data-mover',
    // Programs that write volumes do not use the compiler that is suspected of a miscompilation (`later` in libs/pack-reader).
    nodeFlag: '--no-maglev',
    bytesMax: MiB / 2,
    forbidden: tooHeavyForTheMover,
    workers: [
      { name: 'restore-worker', bytesMax: MiB / 2 },
      // Loaded only by restores, with the clients of object stores.
      { name: 'direct-restore', bytesMax: 6 * MiB, forbidden: [] },
      // Loaded only by long uploads, with gRPC.
      { name: 'repository-session', bytesMax: 2 * MiB, forbidden: [] },
    ],
  },
  // Its Jobs run together with the engine, within one memory limit.
  {
    name: 'repo-maintenance',
    entryPoint: 'repo-maintenance',
    bytesMax: (MiB * 3) / 8,
    forbidden: tooHeavyForTheMover,
    workers: [
      { name: 'check-worker', bytesMax: MiB / 2 },
      // Loaded only by checks that read data, with the clients of object stores.
      { name: 'read-stored-data', bytesMax: 6 * MiB, forbidden: [] },
    ],
  },
  { name: 'cli', entryPoint: 'lateen', bytesMax: 8 * MiB, forPeople: true, forbidden: [] },
  // One process serves a node, and one runs per attached volume.
  {
    name: 'instance-manager',
    entryPoint: 'lateen-instance-manager',
    // Includes the addon that compresses blocks of backups, which is loaded only when it is needed.
    bytesMax: 5 * MiB,
    forbidden: ['@kubernetes/client-node', 'zod', 'commander'],
    image: 'storage',
  },
  {
    name: 'volume-manager',
    entryPoint: 'lateen-volume-manager',
    bytesMax: 8 * MiB,
    forbidden: [],
    // It also runs on every node (bench, group `storage-manager-memory`).
    nodeFlag: '--optimize-for-size',
  },
];
