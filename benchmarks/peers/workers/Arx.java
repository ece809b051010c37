// One job of ARX, in a process of its own: Arx optimum|local|risk SMALL DATA OUT K SUPPRESS FRACTION COLUMN=HIERARCHY...
// Without arguments it says which ARX this is.
import com.sun.management.OperatingSystemMXBean;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXPopulationModel;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;
import org.deidentifier.arx.risk.RiskEstimateBuilder;
import org.deidentifier.arx.risk.RiskModelSampleSummary;

public class Arx {
    static Data read(String path, String[] args) throws Exception {
        Data data = Data.create(path, StandardCharsets.UTF_8, ';');
        for (int i = 0; i < data.getHandle().getNumColumns(); i++) {
            data.getDefinition().setAttributeType(data.getHandle().getAttributeName(i), AttributeType.INSENSITIVE_ATTRIBUTE);
        }
        for (int i = 7; i < args.length; i++) {
            String[] named = args[i].split("=", 2);
            data.getDefinition().setAttributeType(named[0], AttributeType.Hierarchy.create(named[1], StandardCharsets.UTF_8, ';'));
        }
        return data;
    }

    // What is minimized is the mean over columns that shoal's glm is; ARX would rank columns by itself.
    static DataHandle make(Data data, String[] args) throws Exception {
        boolean local = args[0].equals("local");
        ARXConfiguration asked = ARXConfiguration.create();
        asked.addPrivacyModel(new KAnonymity(Integer.parseInt(args[4])));
        asked.setSuppressionLimit(local ? 1d : Double.parseDouble(args[5]));
        asked.setQualityModel(Metric.createLossMetric(local ? 0d : 0.5d, AggregateFunction.ARITHMETIC_MEAN));
        ARXResult found = new ARXAnonymizer().anonymize(data, asked);
        if (!found.isResultAvailable()) throw new IllegalStateException("ARX found no release");
        DataHandle released = found.getOutput(false);
        // As ARX's example of local recoding has it: first leave out nearly everybody, then serve 1% of them at a time.
        if (local) found.optimizeIterativeFast(released, 0.01d);
        return released;
    }

    static String risk(Data data, String[] args) throws Exception {
        DataHandle handle = data.getHandle();
        ARXPopulationModel model = ARXPopulationModel.create(handle.getNumRows(), Double.parseDouble(args[6]));
        RiskEstimateBuilder asked = handle.getRiskEstimator(model);
        RiskModelSampleSummary all = asked.getSampleBasedRiskSummary(0.2d);
        return "\"alone\": " + asked.getSampleBasedUniquenessRisk().getNumUniqueRecords()
            + ", \"highest\": " + all.getProsecutorRisk().getHighestRisk()
            + ", \"mean\": " + all.getProsecutorRisk().getSuccessRate()
            + ", \"above\": " + all.getProsecutorRisk().getRecordsAtRisk()
            + ", \"pitman\": " + asked.getPopulationBasedUniquenessRisk().getFractionOfUniqueTuplesPitman()
            + ", \"zayatz\": " + asked.getPopulationBasedUniquenessRisk().getFractionOfUniqueTuplesZayatz();
    }

    static long peak() throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) return Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
        return 0;
    }

    static void write(DataHandle released, String path) throws Exception {
        int many = released.getNumColumns();
        String[] row = new String[many];
        try (PrintWriter file = new PrintWriter(path, StandardCharsets.UTF_8)) {
            for (int j = 0; j < many; j++) row[j] = released.getAttributeName(j);
            file.println(String.join(";", row));
            for (int i = 0; i < released.getNumRows(); i++) {
                if (released.isOutlier(i)) continue; // somebody who was left out: a row of stars in ARX
                for (int j = 0; j < many; j++) row[j] = released.getValue(i, j);
                file.println(String.join(";", row));
            }
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            System.out.println(ARXAnonymizer.VERSION);
            return;
        }
        OperatingSystemMXBean clock = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        boolean risk = args[0].equals("risk");
        Data few = read(args[1], args);
        if (risk) risk(few, args); else make(few, args);
        long least = Long.MAX_VALUE, all = 0;
        String said = "";
        for (int i = 0; i < 3 && all < 4_000_000_000L; i++) { // Java gets faster as it goes: the best of up to three
            Data data = read(args[2], args);
            data.getHandle(); // ARX reads lazily
            long start = clock.getProcessCpuTime();
            DataHandle released = null;
            if (risk) said = ", " + risk(data, args); else released = make(data, args);
            long took = clock.getProcessCpuTime() - start;
            least = Math.min(least, took);
            all += took;
            if (released != null) write(released, args[3]);
        }
        System.out.println("{\"cpu\": " + least / 1e9 + ", \"peak\": " + peak() / 1024.0 + said + "}");
    }
}
