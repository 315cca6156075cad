// What every page does when it is there.
import { localTimes } from "./times.js";

localTimes(document);
