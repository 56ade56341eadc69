export { deleteSchedule, setPaused } from './change-schedule.ts';
export { newSchedule, type WantedSchedule } from './new-schedule.ts';
export { scheduleNoun } from './schedule-noun.ts';
