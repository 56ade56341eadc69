import { plannedJob, plannedJobChange, recurringJobResource } from '@lateen/storage-rest';
import { longhornGroup, longhornVersion, type RecurringJob } from '@lateen/storage-types';
import { settingsOf } from '../reading/settings-of.ts';
import { type Handle, longhornNeed, type RestPorts, type Route } from '../serving/rest-call.ts';
import { createObject } from '../writing/write-object.ts';
import { changeObject } from './change-object.ts';
import { listEndpoint, oneEndpoint } from './collection-routes.ts';
import { deleteEndpoint } from './delete-endpoint.ts';

const limitOf = ({ reader }: RestPorts) => ({
  maxRetention: settingsOf(reader).number('recurring-job-max-retention'),
});

const create: Handle = async (call, ports) => {
  const existing = new Set(ports.reader.list('recurringJobs').map(({ metadata }) => metadata.name ?? ''));
  const spec = plannedJob(call.body(), limitOf(ports), existing);
  const object: RecurringJob = {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: 'RecurringJob',
    metadata: { name: spec.name ?? '' },
    spec,
  };
  const job = await createObject(ports, 'recurringJobs', object, call.signal);
  return { body: recurringJobResource(job, call.base) };
};

const change: Handle = async (call, ports) => {
  const body = call.body();
  const job = await changeObject(ports, call, 'recurringJobs', (before) => ({
    ...before,
    spec: plannedJobChange(before, body, limitOf(ports)),
  }));
  return { body: recurringJobResource(job, call.base) };
};

export const recurringJobRoutes: readonly Route[] = [
  {
    path: '/v1/recurringjobs',
    methods: {
      GET: listEndpoint('recurringjobs'),
      POST: { needs: [longhornNeed('create', 'recurringjobs')], handle: create },
    },
  },
  {
    path: '/v1/recurringjobs/:name',
    methods: {
      GET: oneEndpoint('recurringjobs'),
      PUT: { needs: [longhornNeed('update', 'recurringjobs')], handle: change },
      DELETE: deleteEndpoint('recurringjobs', 'recurringJobs'),
    },
  },
];
