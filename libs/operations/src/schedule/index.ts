export { scheduleNoun } from './schedule-noun.ts';
