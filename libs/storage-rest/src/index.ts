export {
  type BackupTargetsSeen,
  plannedTarget,
  plannedTargetSync,
  targetsToSync,
} from './action/backup-target-plans.ts';
export { plannedDisks } from './action/disk-plans.ts';
export { type NewVolumePlan, type NewVolumeSeenByApi, plannedVolume } from './action/new-volume.ts';
export { onlyFields } from './action/only-fields.ts';
export { planVolumeAction } from './action/plan-volume-action.ts';
export { type Input, readInput } from './action/read-input.ts';
export { plannedJob, plannedJobChange } from './action/recurring-job-plans.ts';
export { plannedNode, plannedSetting } from './action/update-plans.ts';
export type { VolumeActionSeen } from './action/volume-action-seen.ts';
export type { VolumeActionPlan, VolumeIntent } from './action/volume-intent.ts';
export { apiVersion, apiVersions } from './envelope/api-version.ts';
export { type Collection, collection } from './envelope/collection.ts';
export { linkBase, type RequestAddress } from './envelope/link-base.ts';
export { collectionUrl, type Json, type JsonFields, type Resource, resourceUrl } from './envelope/resource.ts';
export { oneSchema, schemaCollection, schemasHeader } from './envelope/schema-body.ts';
export {
  type ErrorAnswer,
  type ErrorBody,
  notFound,
  type RestErrorStatus,
  refused,
  toErrorBody,
} from './errors/error-body.ts';
export { backupResource, backupTargetResource, backupVolumeResource } from './format/backup-resources.ts';
export { type NodeSeenByApi, nodeResource, tagResource } from './format/node-resource.ts';
export {
  engineImageResource,
  eventResource,
  instanceManagerResource,
  orphanResource,
  recurringJobResource,
} from './format/other-resources.ts';
export { settingResource, settingResources } from './format/setting-resource.ts';
export { snapshotCRResource, snapshotResource } from './format/snapshot-resource.ts';
export { offeredActions } from './format/volume/offered-actions.ts';
export { volumeAttachmentResource } from './format/volume/volume-attachment.ts';
export { volumeJobResources } from './format/volume/volume-jobs.ts';
export { bareVolumeResource, volumeResource } from './format/volume/volume-resource.ts';
export { activeEngine, type VolumeSeenByApi } from './format/volume/volume-seen.ts';
export type { Field, Fields } from './schema/field.ts';
export type { ActionTypes, Method, ResourceSchema } from './schema/resource-schema.ts';
export { schemaOf, schemas } from './schema/schemas.ts';
export {
  type AnswerKind,
  type Offered,
  type VolumeActionRow,
  volumeActionRows,
} from './schema/volume-action-row.ts';
