import { refused } from '@lateen/storage-rest';
import { type Endpoint, longhornNeed, type Route } from '../serving/rest-call.ts';
import { listEndpoint, oneEndpoint } from './collection-routes.ts';
import { missing } from './missing.ts';

/** Features of Longhorn that this volume manager does not have: lists are empty, and creating objects is refused with an alternative. */
const instead: Readonly<Record<string, string>> = {
  backingimages: 'backing images are not supported by this volume manager: clone or restore a volume',
  systembackups: 'system backups are not supported by this volume manager: make a Backup of namespace longhorn-system',
  systemrestores:
    'system restores are not supported by this volume manager: make a Restore of namespace longhorn-system',
  supportbundles:
    'support bundles are not supported by this volume manager: take the logs and objects of namespace longhorn-system',
};

const refusing = (path: string): Endpoint => ({
  needs: [longhornNeed('create', path)],
  handle: () => {
    throw refused(instead[path] ?? '');
  },
});

/** The answer for an object that cannot exist. */
const absent = (path: string, verb: string): Endpoint => ({
  needs: [longhornNeed(verb, path)],
  handle: ({ name }) => {
    throw missing(path, name);
  },
});

const collectionOf = (path: string): Route => ({
  path: `/v1/${path}`,
  methods: {
    GET: listEndpoint(path),
    ...(Object.hasOwn(instead, path) ? { POST: refusing(path) } : {}),
  },
});

const resourceOf = (path: string, under = `/v1/${path}/:name`, actions = false): Route => ({
  path: under,
  methods: {
    GET: oneEndpoint(path),
    DELETE: absent(path, 'delete'),
    ...(actions ? { POST: absent(path, 'update') } : {}),
  },
});

export const unsupportedRoutes: readonly Route[] = [
  ...['backingimages', 'backupbackingimages', 'systembackups', 'systemrestores', 'supportbundles'].map(collectionOf),
  resourceOf('backingimages', undefined, true),
  { path: '/v1/backingimages/:name/download', methods: { GET: absent('backingimages', 'get') } },
  resourceOf('backupbackingimages', undefined, true),
  resourceOf('systembackups'),
  resourceOf('systemrestores'),
  resourceOf('supportbundles', '/v1/supportbundles/:node/:name'),
  { path: '/v1/supportbundles/:node/:name/download', methods: { GET: absent('supportbundles', 'get') } },
];
