export { describeUploader } from './describe-uploader.ts';
export type { EngineAbilities, EngineUnderTest, OpenedWrongly, RepositoryUnderTest } from './engine-under-test.ts';
