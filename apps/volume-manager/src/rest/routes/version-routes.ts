import { apiVersion, apiVersions, oneSchema, schemaCollection } from '@lateen/storage-rest';
import type { Endpoint, Route } from '../serving/rest-call.ts';

const versions: Endpoint = { needs: [], handle: ({ base }) => ({ body: apiVersions(base) }) };
const version: Endpoint = { needs: [], handle: ({ base }) => ({ body: apiVersion(base) }) };

/** What the API says of itself. */
export const versionRoutes: readonly Route[] = [
  { path: '/', methods: { GET: versions } },
  { path: '/v1', methods: { GET: version } },
  { path: '/v1/apiversions', methods: { GET: versions } },
  { path: '/v1/apiversions/v1', methods: { GET: version } },
  { path: '/v1/schemas', methods: { GET: { needs: [], handle: ({ base }) => ({ body: schemaCollection(base) }) } } },
  {
    path: '/v1/schemas/:name',
    methods: { GET: { needs: [], handle: ({ name, base }) => ({ body: oneSchema(name, base) }) } },
  },
];
