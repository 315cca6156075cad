// What every page does when it is there.
import { inSight } from "./excerpts.js";
import { localTimes } from "./times.js";

localTimes(document);
inSight(document);
